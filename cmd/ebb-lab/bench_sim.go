package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/baseline"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// The stand-ins for a machine's default: the kernel's governor that distributions set where the
// driver leaves the choice to the kernel, and elsewhere the processor itself.
const (
	kernelChooses   = "schedutil"
	hardwareChooses = "hardware"
)

// simRunner is a program on a simulated machine, as a bench.Runner. A round has a seed of its own,
// and all of its settings run the same work.
type simRunner struct {
	Profile  hardware.Profile
	Workload simtest.Workload
	Seed     uint64
	// Governor is ebb's configuration; objective, budget, states, counters and settle time are set
	// for each run. Its rule decides the runs with the rule's objective.
	Governor governor.Config
}

// Parallel implements bench.Runner: simulations do not disturb one another.
func (r *simRunner) Parallel() int { return max(runtime.GOMAXPROCS(0), 1) }

// Found names the chooser of the frequency when nothing requests one.
func (r *simRunner) Found() string {
	if r.Profile.Transition.Floor {
		return hardwareChooses
	}
	return kernelChooses
}

// States returns the machine's frequencies, ascending.
func (r *simRunner) States() []units.Frequency { return slices.Clone(r.Profile.States) }

// Run implements bench.Runner.
func (r *simRunner) Run(
	ctx context.Context, s bench.Setting, round int,
) (bench.Measurement, error) {
	if err := ctx.Err(); err != nil {
		return bench.Measurement{}, err
	}
	o := simtest.Options{Seed: r.seed(round), Quiet: true}
	var t *simtest.Truth
	var err error
	switch s.Kind {
	case bench.Static:
		o.Clamp = true
		t, err = simtest.Static(r.Profile, r.Workload, o, s.Frequency)
	case bench.Default:
		t, err = r.found(o)
	default:
		t, err = r.governed(ctx, s, o)
	}
	if err != nil {
		return bench.Measurement{}, fmt.Errorf("simulate %s: %w", r.Workload.Name, err)
	}
	return measurement(t, r.Governor.Power.Platform), nil
}

// found makes a run that nobody governs. A processor that chooses by itself is only asked not to go
// below its lowest state.
func (r *simRunner) found(o simtest.Options) (*simtest.Truth, error) {
	if r.Found() == hardwareChooses {
		return simtest.Static(r.Profile, r.Workload, o, r.Profile.States[0])
	}
	c, err := baseline.ByName(kernelChooses, baseline.DomainOf(&r.Profile))
	if err != nil {
		return nil, err
	}
	return baseline.Run(r.Profile, r.Workload, o, c)
}

// seed returns the seed of a round. Two measurements have no round's seed in common unless their
// own seeds are 2^32 apart or more.
func (r *simRunner) seed(round int) uint64 { return r.Seed<<32 + uint64(round) }

// measurement returns a run's figures, with the stated power of everything else, which no machine
// simulates.
func measurement(t *simtest.Truth, platform units.Power) bench.Measurement {
	m := bench.Measurement{
		Wall: t.Wall, CPU: t.Busy, Source: bench.Simulated,
		Zones: []bench.Zone{{Name: bench.Processor, Energy: t.Energy.Package()},
			{Name: bench.Memory, Energy: t.Energy.DRAM()}},
	}
	if platform > 0 {
		m.Zones = append(m.Zones, bench.Zone{Name: bench.Platform, Energy: platform.For(t.Wall)})
	}
	return m
}

// governed makes a run under ebb's own governor.
func (r *simRunner) governed(
	ctx context.Context, s bench.Setting, o simtest.Options,
) (*simtest.Truth, error) {
	c := r.Governor
	c.Shadow = false
	c.Objective, c.Slowdown = governor.Slowdown, s.Slowdown
	if s.Kind == bench.SystemEnergy {
		c.Objective = governor.SystemEnergy
	}
	c.Rule = c.Rule.For(s.Kind == bench.SystemEnergy)
	o.Quiet, o.Quantum, o.HoldOff, o.Clamp = false, c.Quantum, c.HoldOff, true
	o.Counters, o.Exact = simhost.Counters(&r.Profile), r.Profile.Counters.Exact
	g, err := governor.New(simhost.Configure(c, &r.Profile, &o))
	if err != nil {
		return nil, err
	}
	m, err := simtest.New(r.Profile, r.Workload, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if err := governor.Run(ctx, g, simhost.New(m)); err != nil {
		return nil, err
	}
	return m.Truth(), nil
}
