// Package campaign runs the governor on thousands of simulated computers, with random programs,
// machines, settings and faults, and checks after every event what must always hold.
//
// A case is everything that a run depends on, and is drawn from one seed. A failure names its seed,
// and the seed repeats it.
package campaign

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// Case is one run.
type Case struct {
	Seed     uint64
	Profile  hardware.Profile
	Workload simtest.Workload
	Options  simtest.Options
	Config   governor.Config
	// Late is the share of readings of events that are late; see lateReader.
	Late float64
	// Stop ends the run from outside at this time, as a signal to ebb does; 0 lets the program end.
	Stop time.Duration
}

// Draw makes the case of a seed.
func Draw(seed uint64) Case {
	r := rand.New(rand.NewPCG(seed, 0x63616d70))
	c := Case{Seed: seed}
	profiles := hardware.Profiles()
	c.Profile = profiles[r.IntN(len(profiles))].WithCores(1 + r.IntN(hardware.MaxCores))
	drawSMT(rand.New(rand.NewPCG(seed, 0x736d74)), &c.Profile)
	if quick := workload.Quick(); r.IntN(3) == 0 {
		c.Workload = quick[r.IntN(len(quick))]
		c.Workload.Threads = 1 + r.IntN(8)
	} else {
		c.Workload = randomProgram(r)
	}
	states := c.Profile.States
	c.Options = simtest.Options{
		Seed:     r.Uint64(),
		Quantum:  time.Duration(1+r.IntN(10)) * time.Millisecond,
		HoldOff:  max(1, r.IntN(8)-3),
		Counters: drawCounters(r, &c.Profile),
		Initial:  states[r.IntN(len(states))],
		Clamp:    r.IntN(4) > 0,
		Progress: 5_000_000,
	}
	c.Options.Exact = c.Profile.Counters.Exact && r.IntN(2) == 0
	if r.IntN(4) > 0 {
		c.Options.Faults = drawFaults(r, &c.Profile)
		drawUnreported(rand.New(rand.NewPCG(seed, 0x756e746f)), &c.Options.Faults)
	}
	cfg := governor.Default()
	cfg.Slowdown = []units.Slowdown{0, 0.02, 0.05, 0.1, 0.25}[r.IntN(5)]
	switch r.IntN(8) {
	case 0:
		cfg.Objective = governor.SystemEnergy
	case 1:
		cfg.Objective, cfg.Frequency = governor.Fixed, states[r.IntN(len(states))]
	default:
		rules := policy.Rules()
		cfg.Rule = policy.Rule(rules[r.IntN(len(rules))])
	}
	cfg.NoLearning, cfg.NoProbes = r.IntN(4) == 0, r.IntN(4) == 0
	cfg.ByPhase = rand.New(rand.NewPCG(seed, 0x70686173)).IntN(4) > 0
	c.Config = simhost.Configure(cfg, &c.Profile, &c.Options)
	if q := rand.New(rand.NewPCG(seed, 0x72657374)); q.IntN(2) == 0 {
		c.Config.Rest = 2 + q.IntN(15)
		c.Config.Brief = q.IntN(4) > 0
	}
	if r.IntN(5) == 0 {
		c.Late = 0.3 * r.Float64()
	}
	if r.IntN(8) == 0 {
		c.Stop = time.Duration(r.Int64N(int64(60 * time.Millisecond)))
	}
	return c
}

// drawCounters draws the counters of a run: none, the bracket that performance monitoring units
// count, or counters that only a simulator has.
func drawCounters(r *rand.Rand, p *hardware.Profile) []string {
	sets := [][]string{
		nil,
		{hpc.Cycles, hpc.Instructions, hpc.StallLo, hpc.OccHi, hpc.StoreFull, hpc.StoreRFO},
		{hpc.Cycles, hpc.Instructions},
	}
	if p.Counters.Names == nil {
		sets = append(sets, []string{hpc.Insts, hpc.CritDRAM, hpc.SQFull, hpc.DRAMReads},
			[]string{hpc.Instructions, hpc.CritOffX, hpc.SQOff},
			[]string{hpc.Instructions, hpc.StallDRAM, hpc.SQFull})
	}
	return sets[r.IntN(len(sets))]
}

// drawFaults draws some kinds of faults.
func drawFaults(r *rand.Rand, p *hardware.Profile) hardware.FaultPlan {
	const within = 150 * time.Millisecond
	var f hardware.FaultPlan
	span := func() hardware.Span {
		from := time.Duration(r.Int64N(int64(within)))
		return hardware.Span{From: from, To: from + time.Duration(r.Int64N(int64(within)/3))}
	}
	some := func() bool { return r.IntN(3) == 0 }
	if some() {
		f.Refuse = 0.5 * r.Float64()
	}
	if some() {
		f.Ignore = 0.2 * r.Float64()
	}
	if some() {
		f.Late, f.LateBy = r.Float64(), time.Duration(r.Int64N(int64(8*time.Millisecond)))
	}
	if some() {
		f.Lose = 0.05 * r.Float64() * r.Float64()
	}
	if some() {
		for range 1 + r.IntN(3) {
			s := span()
			f.Caps = append(f.Caps, hardware.Cap{From: s.From, To: s.To,
				Max: p.States[r.IntN(len(p.States))]})
		}
	}
	if some() && p.Cores > 1 {
		for range 1 + r.IntN(3) {
			s := span()
			f.Outages = append(f.Outages,
				hardware.Outage{From: s.From, To: s.To, Core: 1 + r.IntN(p.Cores-1)})
		}
	}
	if some() {
		f.Blind = append(f.Blind, span())
	}
	if some() {
		kinds := []hardware.RAPLKind{hardware.Stuck, hardware.Backwards, hardware.Gone,
			hardware.Wrapping}
		for _, z := range p.RAPL.Zones {
			if r.IntN(2) == 0 {
				f.RAPL = append(f.RAPL, hardware.RAPLFault{Span: span(), Zone: z,
					Kind: kinds[r.IntN(len(kinds))]})
			}
		}
	}
	return f
}

// drawUnreported makes the machine of one case in five report that it does as requested, whatever
// it does.
func drawUnreported(r *rand.Rand, f *hardware.FaultPlan) {
	if r.IntN(5) > 0 {
		return
	}
	f.Unreported = true
	if r.IntN(2) == 0 {
		from := time.Duration(r.Int64N(int64(60 * time.Millisecond)))
		f.Deaf = append(f.Deaf, hardware.Span{From: from,
			To: from + time.Duration(r.Int64N(int64(40*time.Millisecond)))})
	}
}

// faulty reports whether anything goes wrong.
func (c *Case) faulty() bool { return c.faults() != "none" }

// String describes a case in one line.
func (c *Case) String() string {
	return fmt.Sprintf("%s with %d cores, %s with %d threads, %s %s, budget %v, quantum %v, "+
		"hold-off %d, rest %d, counters [%s], faults: %s", c.Profile.Name, c.Profile.Cores,
		c.Workload.Name, c.Workload.Threads, c.Config.Objective, c.Config.Rule, c.Config.Slowdown,
		c.Config.Quantum, c.Config.HoldOff, c.Config.Rest,
		strings.Join(c.Config.Counters, " "), c.faults())
}

// faults names what goes wrong.
func (c *Case) faults() string {
	f := &c.Options.Faults
	var faults []string
	for _, x := range []struct {
		name string
		is   bool
	}{
		{"refused", f.Refuse > 0}, {"ignored", f.Ignore > 0}, {"unreported", f.Unreported},
		{"deaf", len(f.Deaf) > 0}, {"late", f.Late > 0}, {"lost", f.Lose > 0},
		{"capped", len(f.Caps) > 0},
		{"hotplug", len(f.Outages) > 0}, {"blind", len(f.Blind) > 0}, {"rapl", len(f.RAPL) > 0},
		{"late reader", c.Late > 0}, {"stopped", c.Stop > 0},
	} {
		if x.is {
			faults = append(faults, x.name)
		}
	}
	if len(faults) == 0 {
		return "none"
	}
	return strings.Join(faults, " ")
}
