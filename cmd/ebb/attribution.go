package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/energy/attribution"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/leftover"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/sandbox"
	"github.com/ebb-energy/ebb/stacks"
	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// methods is what finds out which methods a run's energy goes to.
type methods struct {
	sampler   *stacks.Sampler
	reader    *sandbox.Host
	temporary *leftover.Directory // as it was before the program ran
	owner     uint32              // the user that a command runs as
	collector *attribution.Attributor
	arranged  bool // Java machines were given options
	callers   bool // what is sent and received is counted by call stack
}

// perfMaps is where virtual machines write where their code lies.
const perfMaps = "/tmp"

// removePerfMaps removes the perf maps that these processes wrote because ebb asked for them.
func (m *methods) removePerfMaps(pids map[int]bool) (err error) {
	for pid := range pids {
		owner := m.owner
		if info, e := os.Stat(fmt.Sprintf("/proc/%d", pid)); e == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				owner = stat.Uid
			}
		}
		_, e := m.temporary.Remove(fmt.Sprintf("perf-%d.map", pid), owner)
		err = errors.Join(err, e)
	}
	return err
}

// openMethods prepares the sampling and the ledgers. The meters are the machine's where it has
// some.
func (n *session) openMethods(cfg *governor.Config) error {
	s := n.settings
	if err := stacks.CheckRate(s.rate); err != nil {
		return usagef("--rate: %w", err)
	}
	if s.warmUp < 0 {
		return usagef("--warm-up %v is below zero", s.warmUp)
	}
	sampler, err := stacks.Open(n.tracer.Followed(), s.rate)
	if err != nil {
		return err
	}
	n.methods = &methods{sampler: sampler, callers: n.network != nil}
	if n.methods.temporary, err = leftover.Look(perfMaps); err != nil {
		return err
	}
	if n.methods.reader, err = sandbox.Start(); err != nil {
		return err
	}
	machine, err := topology.Read(n.sysfs)
	if err != nil {
		return err
	}
	cores := map[energy.CPU]energy.Core{}
	for _, p := range machine.Places {
		cores[energy.CPU(p.CPU)] = energy.Core(p.Core)
	}
	config := attribution.Config{Rate: s.rate, Cores: cores, Sampler: sampler,
		Reader: n.methods.reader, Stat: "/proc/stat", WarmUp: s.warmUp}
	config.Ended = func(t epochs.TID) (int, string) {
		tgid, comm := n.tracer.Ended(t)
		return int(tgid), comm
	}
	if n.network != nil {
		config.Callers = n.network.counter
	}
	rule := energy.RuleConfig{Power: perBusyTime(cfg.Power)}
	for _, name := range energy.RuleNames {
		r, err := energy.NewRule(name, rule)
		if err != nil {
			return err
		}
		config.Rules = append(config.Rules, r)
	}
	m := n.methods
	if n.meters != nil && n.meters.counted() {
		n.meters.period = min(n.meters.period, attribution.Period)
		config.Meter = n.meters.attributed(machine)
	} else if s.tdp > 0 {
		config.Meter = attribution.NewFormula(attribution.TDP{
			Power: s.tdp, Highest: cfg.States[len(cfg.States)-1], Voltage: cfg.Power.Voltage, CPUs: numbered(machine.CPUs()),
		})
	} else {
		config.Meter = attribution.NewModelled(cfg.Power, numbered(machine.CPUs()),
			func() units.Frequency { return m.collector.Frequency() })
	}
	m.collector = attribution.New(config)
	return nil
}

// numbered is CPUs as the ledger knows them.
func numbered(cpus []topology.CPU) (out []energy.CPU) {
	for _, c := range cpus {
		out = append(out, energy.CPU(c))
	}
	return out
}

// perBusyTime is a CPU's power while it is busy, relative to others, by the model's dynamic part.
func perBusyTime(m power.Model) func(units.Frequency) float64 {
	return func(f units.Frequency) float64 {
		v := m.Voltage(f)
		return float64(f) * v * v
	}
}

// attachTime bounds how long Java machines are asked for their code, one after the other.
const attachTime = 3 * time.Second

// launch starts the command with its threads sampled from the first on.
func (m *methods) launch(argv []string, launch func([]string) error) error {
	given := len(argv)
	argv, variable := attribution.Arrange(argv, os.Getenv(attribution.JVMVariable), m.callers)
	m.arranged = len(argv) > given || variable != ""
	if variable != "" {
		if err := os.Setenv(attribution.JVMVariable, variable); err != nil {
			return fmt.Errorf("arrange for Java's symbols: %w", err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := m.sampler.Launching(); err != nil {
		return err
	}
	return launch(argv)
}

// finish makes the profile, and removes the files that were arranged for. It asks a Java machine
// that lives on for its code, if that could not be read from its memory. It ends early with the
// context.
func (m *methods) finish(ctx context.Context, n *session) error {
	began := time.Now()
	m.collector.Settle(ctx, live.Now)
	var err error
	caused := map[int]bool{}
	for pid, image := range m.collector.Unnamed() {
		if n.machine.Launched() && n.machine.ExitState() != nil {
			break // what it has written at its end is all there is
		}
		if time.Since(began) > attachTime {
			break
		}
		if e := m.reader.Attach(ctx, image); e == nil {
			caused[pid] = true
		}
	}
	threads, e := n.machine.Stays()
	err = errors.Join(err, e)
	var named []attribution.Named
	for _, t := range threads {
		named = append(named, attribution.Named{TID: int32(t.TID), PID: int32(t.TGID), Comm: t.Comm,
			Ended: t.Ended, Created: t.Created})
	}
	var moved []attribution.Moved
	if n.network != nil {
		moved = n.network.moved
	}
	p, e := m.collector.Finish(ctx, named, moved, n.report.OwnCPUNS)
	err = errors.Join(err, e)
	if p != nil && p.Network != nil {
		n.network.of(p.Network)
	}
	n.report.Attribution = p
	if p != nil && m.arranged {
		for _, t := range p.Threads {
			if pid := int(t.PID); !caused[pid] && m.reader.MapsJVM(ctx, m.collector.Image(pid)) {
				caused[pid] = true
			}
		}
	}
	err = errors.Join(err, m.removePerfMaps(caused))
	cpu, peak := m.reader.Use()
	n.report.OwnCPUNS += int64(cpu)
	n.report.OwnRSSBytes += peak
	return err
}
