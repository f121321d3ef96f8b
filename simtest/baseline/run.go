package baseline

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// DomainOf returns a machine as its cpufreq driver describes it. The delay is the one that such
// drivers request: a point of the grid (500 us in intel_cpufreq, 1 ms in amd-pstate) or a ramp (5
// ms with HWP); and one and a half times the latency where the driver gives only that
// (cpufreq_policy_transition_delay_us).
func DomainOf(p *hardware.Profile) Domain {
	t := p.Transition
	delay := t.Grid + t.Ramp
	if delay == 0 {
		latency := t.Latency + t.Jitter + t.Stall
		delay = latency + latency/2
	}
	if delay == 0 {
		delay = time.Millisecond
	}
	return Domain{Table: slices.Clone(p.States), Cores: p.Cores, Delay: delay}
}

// Names returns the kernel's governors, in the order in which they are compared.
func Names() []string {
	return []string{"performance", "powersave", "ondemand", "conservative", "schedutil"}
}

// ByName makes one of the kernel's governors with its defaults. EAR needs a model and is made by
// NewEAR.
func ByName(name string, d Domain) (Controller, error) {
	switch name {
	case "performance":
		return performance(d), nil
	case "powersave":
		return powersave(d), nil
	case "ondemand":
		return newOndemand(d), nil
	case "conservative":
		return newConservative(d), nil
	case "schedutil":
		return newSchedutil(d), nil
	}
	return nil, fmt.Errorf("no governor %q", name)
}

// Run runs a program under a controller. Of the options it sets the initial frequency and the
// sampling.
func Run(
	p hardware.Profile, w simtest.Workload, o simtest.Options, c Controller,
) (*simtest.Truth, error) {
	o.Initial, o.Sample, o.Quiet, o.Clamp = c.Initial(), c.Period(), true, true
	m, err := simtest.New(p, w, o)
	if err != nil {
		return nil, err
	}
	buf := make([]simtest.Event, 64)
	for {
		n, err := m.Next(buf)
		for _, e := range buf[:n] {
			if e.Kind != simtest.Begin && e.Kind != simtest.Sample {
				continue
			}
			s := observe(m)
			if f, ok := c.Sample(&s); ok {
				m.Request(f)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return m.Truth(), nil
		case err != nil:
			m.Close()
			return nil, fmt.Errorf("%s on %s: %w", w.Name, p.Name, err)
		}
	}
}

// observe reads what a controller can see.
func observe(m *simtest.Computer) Sample {
	u := m.Usage()
	s := Sample{
		At: u.At, Frequency: u.Frequency, Busy: slices.Clone(u.Busy),
		Instructions: float64(u.Instructions), Lines: float64(u.DRAMReads + u.DRAMWrites),
		Energy: m.Truth().Energy.Total(),
	}
	for _, c := range u.Cycles {
		s.Cycles += c
	}
	return s
}
