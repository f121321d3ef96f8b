package campaign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// tenants is a case of several programs on one machine, each with a budget.
type tenants struct {
	Seed    uint64
	Profile hardware.Profile
	Domains int
	Tenants []tenantCase
}

// tenantCase is one of the programs.
type tenantCase struct {
	Domain   arbiter.Domain
	Workload simtest.Workload
	Options  simtest.Options
	Config   governor.Config
	From     time.Duration // time at which it comes
	Fails    int           // number of the epoch at which its governor fails; 0 for none
}

// drawTenants makes the case of a seed: 2 to 8 tenants on 1 to 8 domains. Their programs come at
// some time, and most of them run for length and a little more.
func drawTenants(seed uint64, length time.Duration) (tenants, error) {
	r := rand.New(rand.NewPCG(seed, 0x74656e61))
	c := tenants{Seed: seed, Domains: 1 + r.IntN(8)}
	profiles := hardware.Profiles()
	c.Profile = profiles[r.IntN(len(profiles))]
	quantum := []time.Duration{5, 5, 10}[r.IntN(3)] * time.Millisecond
	for range 2 + r.IntN(7) {
		t := tenantCase{Domain: arbiter.Domain(r.IntN(c.Domains))}
		t.Options = simtest.Options{Seed: r.Uint64(), Quantum: quantum, Clamp: true,
			Counters: simhost.Counters(&c.Profile)}
		if r.IntN(2) == 0 {
			t.From = time.Duration(r.IntN(12)) * length / 60 / 100 * 100
		}
		last := length
		if r.IntN(4) == 0 {
			last = length * time.Duration(1+r.IntN(30)) / 300 // a tenant that leaves early
		}
		if r.IntN(3) == 0 {
			t.Options.Faults = hardware.FaultPlan{Lose: 1e-5 * r.Float64(),
				Refuse: 0.05 * r.Float64(), Late: 0.1 * r.Float64(),
				LateBy: time.Duration(r.Int64N(int64(quantum / 2)))}
		}
		cfg := governor.Default()
		cfg.Slowdown = []units.Slowdown{0.02, 0.05, 0.1, 0.2}[r.IntN(4)]
		profile := c.Profile.WithCores(1 + r.IntN(3))
		t.Config = simhost.Configure(cfg, &profile, &t.Options)
		if r.IntN(2) == 0 {
			t.Config.Rest = 8
		}
		var err error
		t.Workload, err = phasedProgram(r.Uint64(), profile, t.Options, last)
		if err != nil {
			return c, err
		}
		c.Tenants = append(c.Tenants, t)
	}
	return c, nil
}

// cores returns the number of cores of a tenant.
func (t *tenantCase) cores() int { return t.Workload.Threads }

// phasedProgram runs for some time at the highest clock, in phases of unlike character of some
// hundred ms to some s each, on as many threads as the machine has cores. Some sleep in between.
func phasedProgram(
	seed uint64, p hardware.Profile, o simtest.Options, length time.Duration,
) (simtest.Workload, error) {
	shape := func(rounds int) simtest.Workload {
		return simtest.Workload{Name: fmt.Sprintf("phased.%x", seed), Threads: p.Cores,
			Build: func(b *simtest.Builder) { buildPhased(b, seed, rounds) }}
	}
	const probe = 2
	o.Quiet, o.Faults = true, hardware.FaultPlan{}
	truth, err := simtest.Static(p, shape(probe), o, p.Highest())
	if err != nil {
		return simtest.Workload{}, err
	}
	return shape(max(int(length*probe/truth.Wall), 1) + 1), nil
}

// buildPhased has each round go through all phases.
func buildPhased(b *simtest.Builder, seed uint64, rounds int) {
	r := rand.New(rand.NewPCG(seed, 2))
	type phase struct {
		mix          *simtest.Mix
		instructions int64
		pause        time.Duration
		steps        int
	}
	var phases []phase
	for range 2 + r.IntN(5) {
		p := phase{mix: randomMix(r), instructions: 2_000_000 + r.Int64N(20_000_000),
			steps: 20 + r.IntN(200)}
		if r.IntN(3) == 0 {
			p.pause = time.Duration(r.Int64N(int64(20 * time.Millisecond)))
		}
		phases = append(phases, p)
	}
	together := b.Barrier(b.Threads())
	for i := range b.Threads() {
		b.Thread(fmt.Sprintf("t%d", i), simtest.App, func(t *simtest.Thread) {
			for range rounds {
				for _, p := range phases {
					for range p.steps {
						t.Run(p.mix, p.instructions)
						if p.pause > 0 {
							t.Sleep(p.pause)
						}
					}
					t.Arrive(together)
				}
			}
		})
	}
}

// programs makes the computers of a case. Those that were made are returned with an error as well.
func (t *tenants) programs(faults bool) (all []simhost.Program, err error) {
	for i := range t.Tenants {
		x := &t.Tenants[i]
		o := x.Options
		o.Progress = progressStep(x)
		if !faults {
			o.Faults = hardware.FaultPlan{}
		}
		m, err := simtest.New(t.Profile.WithCores(x.cores()), x.Workload, o)
		if err != nil {
			return all, err
		}
		all = append(all, simhost.Program{Tenant: arbiter.Tenant(i + 1), Domain: x.Domain,
			Computer: m, From: x.From})
	}
	return all, nil
}

func closeAll(programs []simhost.Program) {
	for _, p := range programs {
		p.Computer.Close()
	}
}

func truths(programs []simhost.Program) (all []*simtest.Truth) {
	for _, p := range programs {
		all = append(all, p.Computer.Truth())
	}
	return all
}

// governed runs a case under ebb.
func (t *tenants) governed() ([]*simtest.Truth, *many.Governors, error) {
	programs, err := t.programs(true)
	defer closeAll(programs)
	if err != nil {
		return nil, nil, err
	}
	machine := simhost.NewMachine(programs)
	cfg := many.Config{Domains: machine.Domains()}
	for i := range t.Tenants {
		cfg.Tenants = append(cfg.Tenants, many.Tenant{Number: programs[i].Tenant,
			Config: t.Tenants[i].Config})
	}
	governors, err := many.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range programs {
		t.Tenants[i].fail(governors.Governor(p.Tenant))
	}
	if err := governor.Run(context.Background(), governors, machine); err != nil {
		return nil, nil, err
	}
	for i, p := range programs {
		if err := governors.Failed(p.Tenant); err != nil && t.Tenants[i].Fails == 0 {
			return nil, nil, err
		}
	}
	return truths(programs), governors, nil
}

// fail has a governor fail at the case's epoch.
func (t *tenantCase) fail(g *governor.Governor) {
	if left := t.Fails; left > 0 {
		g.Epochs(func(*epochs.Epoch) {
			if left--; left == 0 {
				panic("the case's fault")
			}
		})
	}
}

// progressStep returns the work between two points of progress: a few ms.
func progressStep(t *tenantCase) int64 { return 20_000_000 * int64(t.cores()) }
