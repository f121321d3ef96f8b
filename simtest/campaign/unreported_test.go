//go:build !race

package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// unreportedCase is a program of half a second and more on a machine that claims to obey every
// request and does not. It has one of three faults: it ignores single requests, or all requests for
// 10 to 70 ms now and then, or something limits the clock at times.
func unreportedCase(seed uint64) (c Case, how string) {
	r := rand.New(rand.NewPCG(seed, 0x6c6f6e67))
	profiles, programs := hardware.Profiles(), []string{"xalan", "pmd", "phases", "sunflow",
		"lusearch.fix", "avrora"}
	c = Case{Seed: seed, Profile: profiles[r.IntN(len(profiles))]}
	c.Workload, _ = workload.ByName(programs[r.IntN(len(programs))])
	c.Options = simtest.Options{
		Seed: r.Uint64(), Clamp: true, Initial: c.Profile.Highest(),
		Counters: []string{"cycles", "instructions", "stall_lo_cycles", "occ_hi_cycles",
			"store_full_cycles", "store_rfo_cycles"},
	}
	f := &c.Options.Faults
	f.Unreported = true
	ms := func(least, most int) time.Duration {
		return time.Duration(least+
			r.IntN(most-least)) * time.Millisecond
	}
	spans := func(dur, every time.Duration) (s []hardware.Span) {
		for at := time.Duration(r.Int64N(int64(every))); at < 20*time.Second; at += every {
			s = append(s, hardware.Span{From: at, To: at + dur})
		}
		return s
	}
	switch r.IntN(3) {
	case 0:
		f.Ignore = 0.5 * r.Float64()
		how = fmt.Sprintf("one request in %.0f is ignored", 1/f.Ignore)
	case 1:
		dur, every := ms(10, 70), ms(400, 1200)
		f.Deaf = spans(dur, every)
		how = fmt.Sprintf("requests are ignored for %v of %v", dur, every)
	case 2:
		dur, every := ms(10, 600), ms(200, 2000)
		highest := units.Frequency((0.5 + 0.5*r.Float64()) * float64(c.Profile.Highest()))
		for _, s := range spans(dur, every) {
			f.Caps = append(f.Caps, hardware.Cap{From: s.From, To: s.To, Max: highest})
		}
		how = fmt.Sprintf("%v at most for %v of %v", highest, dur, every)
	}
	c.Config = simhost.Configure(governor.Default(), &c.Profile, &c.Options)
	return c, how
}

// TestUnreported: faults that a machine does not report cost no slowdown beyond the budget. The
// reference is the highest frequency on a machine with the same limits; where a machine without
// faults exceeds the budget, its slowdown is the bound. The last third of a run has no limits: a
// slower run would meet more of them, and a loss right before the end cannot be paid back.
func TestUnreported(t *testing.T) {
	first, last, _ := cases(max(3, *runs/100))
	for s := first; s <= last; s++ {
		c, how := unreportedCase(s)
		top := func(f hardware.FaultPlan) float64 {
			o := c.Options
			o.Faults = f
			o.Faults.Ignore, o.Faults.Deaf = 0, nil
			r, err := simtest.Static(c.Profile, c.Workload, o, c.Profile.Highest())
			if err != nil {
				t.Fatal(err)
			}
			return r.Wall.Seconds()
		}
		slowdown := func(f hardware.FaultPlan) float64 {
			x := c
			x.Options.Faults = f
			r, err := Run(&x)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range r.Broken {
				t.Errorf("seed %d: %v", s, b)
			}
			return r.Truth.Wall.Seconds()/top(f) - 1
		}
		f := c.Options.Faults
		last := time.Duration(top(hardware.FaultPlan{}) / 1.5 * float64(time.Second))
		f.Caps = slices.DeleteFunc(f.Caps, func(c hardware.Cap) bool { return c.To > last })
		without, with := slowdown(hardware.FaultPlan{}), slowdown(f)
		allowed := max(float64(c.Config.Slowdown), without) + 0.005
		t.Logf("seed %d: %s on %s, %s: slowdown %.2f %%, without it %.2f %%", s, c.Workload.Name,
			c.Profile.Name, how, 100*with, 100*without)
		if with > allowed {
			t.Errorf("seed %d: more than %.2f %%\n  %s -v", s, 100*allowed,
				devtest.SeedCommand(t.Name(), s))
		}
	}
}
