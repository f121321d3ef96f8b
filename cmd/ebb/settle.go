package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// openTracer loads the BPF programs for the quantum and hold-off of the configuration.
func (n *session) openTracer() (err error) {
	c := &n.settings.config
	trace := bpf.Config{Quantum: c.Quantum, HoldOff: c.HoldOff, RingBytes: c.RingBytes}
	if n.counters != nil {
		trace.Counters = n.counters.FDs()
	}
	if n.cgroup != nil {
		trace.Cgroup = n.cgroup.ID
	}
	n.tracer, err = bpf.Open(trace)
	return explain(err)
}

// measureSettle finds out how long this machine takes to settle at a frequency, where that is not
// given and matters, and fits quantum and hold-off to it, where the user gave neither. The tracer,
// which has them in its programs, is loaded anew when they change: it was there before, so that
// nothing is written on a machine that can not be traced.
func (n *session) measureSettle() error {
	s, r := n.settings, &n.report
	if n.actuator.Name() == cpufreq.Shadow || s.config.Frequency > 0 {
		return nil
	}
	if s.config.Settle > 0 {
		r.SettleP99NS, r.SettleSource = int64(s.config.Settle), "given"
		return nil
	}
	if !inventory.KernelsOwn(s.sysfsRoot) {
		r.SettleNote = s.sysfsRoot +
			" is no tree of this machine's kernel: its clock is not what is set there"
		n.settling = "how long it takes to settle is not known: " + r.SettleNote
		return nil
	}
	found, err := settle.Run(n.sysfs, n.actuator)
	if states := n.actuator.States(); found.Short(states[len(states)-1]) {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf(
				"%v was asked for and %v delivered, by %s: the hardware or a cap holds the clock back", states[len(states)-1], found.Highest, found.Source,
			))
	}
	if errors.Is(err, settle.ErrNoEffect) {
		return n.standBack(err)
	}
	if err != nil {
		n.settling = "how long it takes to settle is not known: " + err.Error()
		r.SettleNote = err.Error()
		return nil
	}
	r.SettleP50NS, r.SettleP99NS, r.SettleSource = int64(found.P50), int64(found.P99), found.Source
	n.settling = found.String()
	if !s.fit(found.P99) {
		return nil
	}
	n.settling += fmt.Sprintf("; so it decides every %v",
		s.config.Quantum*time.Duration(s.config.HoldOff))
	if err := n.tracer.Close(); err != nil {
		return err
	}
	n.tracer = nil
	return n.openTracer()
}

// standBack gives up an actuator whose requests read back but do nothing: what would be predicted
// and accounted for the clocks that were asked for would be wrong.
func (n *session) standBack(why error) error {
	n.report.SettleNote = why.Error()
	if _, err := n.actuator.Close(); err != nil {
		return fmt.Errorf("put the machine's frequencies back: %w (sudo ebb restore tries again)",
			err)
	}
	n.actuator = cpufreq.NewShadow(n.actuator.Name() + " has no effect: " + why.Error())
	n.report.Warnings = append(n.report.Warnings, n.actuator.Reason())
	return nil
}

// fit takes over what was measured, and says whether quantum or hold-off are others now.
func (s *settings) fit(settle time.Duration) (changed bool) {
	c := &s.config
	quantum, holdOff := c.Quantum, c.HoldOff
	c.Settle = max(settle, time.Nanosecond) // 0 would be unknown
	if s.calibrate {
		c.Quantum, c.HoldOff = 0, 0
		c.Calibrate()
	}
	return c.Quantum != quantum || c.HoldOff != holdOff
}
