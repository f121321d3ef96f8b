package main

import (
	"strings"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/bench/sim"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// openSimulated is a simulated machine.
func (b *benchSettings) openSimulated() (*benchRunner, error) {
	w, err := workload.ByName(b.sim)
	if err != nil {
		return nil, command.Usagef("--sim: %w", err)
	}
	p, err := hardware.ByName(b.profile)
	if err != nil {
		return nil, command.Usagef("--profile: %w", err)
	}
	if b.config.Settle == 0 {
		b.config.Settle = p.Transition.Longest()
	}
	b.config.Calibrate()
	own := b.config.Governor(p.States)
	if b.rule != "" {
		own.Rule = b.rule
	}
	r := &sim.Runner{Config: sim.Config{Profile: p, Workload: w, Seed: b.seed,
		Governor: own}}
	return &benchRunner{
		Runner: r, states: r.States(), governor: r.Found(), source: bench.Simulated,
		workload: w.Name, options: b.options(),
		machine: bench.Testbed{CPUs: p.Cores, Simulated: p.Name, Actuator: "simulated"},
		close:   func() error { return nil },
	}, nil
}

// simulated names what can be simulated, for the help.
func simulated() (programs, profiles string) {
	var p, m []string
	for _, w := range append(workload.Paper(), workload.More()...) {
		p = append(p, w.Name)
	}
	for _, x := range hardware.Profiles() {
		m = append(m, x.Name)
	}
	return strings.Join(p, ", "), strings.Join(append(m, "hidden-N (any N)"), ", ")
}
