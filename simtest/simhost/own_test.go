//go:build !race

package simhost_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// TestOwnCostIsPartOfTheBudget: against a run that nobody observes, programs are slowed by no more
// than the budget and 0.3 points, whatever share of each quantum the observer takes. Where it takes
// more than the budget, the program is slowed by what it takes and 0.3 points: the clock stays at
// the highest.
func TestOwnCostIsPartOfTheBudget(t *testing.T) {
	p := profile(t, "paper")
	programs := []string{"phases", "xalan", "single", "lusearch.fix"}
	for _, name := range programs[:devtest.Cases(len(programs), 2)] {
		w := mustProgram(t, name)
		alone, err := simtest.Static(p, w, simtest.Options{Seed: 5}, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		for _, us := range []int{0, 25, 100, 200} {
			for _, c := range []struct {
				budget  units.Slowdown
				holdOff int
				rule    policy.Rule
			}{{0.01, 1, policy.Priced}, {0.05, 1, policy.Priced}, {0.05, 3, policy.Priced},
				{0.05, 1, policy.Even}} {
				t.Run(fmt.Sprint(name, "/", us, "us/", c.budget, "/", c.holdOff, "/", c.rule),
					func(t *testing.T) {
						o := simtest.Options{Seed: 5, Counters: simhost.Counters(&p),
							HoldOff: c.holdOff, Overhead: time.Duration(us) * time.Microsecond}
						r := govern(t, w, o, func(cfg *governor.Config) {
							cfg.Slowdown, cfg.Rule = c.budget, c.rule
						})
						checkAgainst(t, r, alone, float64(c.budget))
					})
			}
		}
	}
}

func checkAgainst(t *testing.T, r *run, alone *simtest.Truth, budget float64) {
	t.Helper()
	var own time.Duration
	for i := range r.quanta {
		own += r.quanta[i].Own
	}
	slower := float64(r.truth.Wall)/float64(alone.Wall) - 1
	taken := float64(own) / float64(alone.Wall)
	saved := 1 - float64(r.truth.Energy.Package())/float64(alone.Energy.Package())
	t.Logf("slowed by %.2f %%, of which the observer took %.2f; %.1f %% saved", 100*slower,
		100*taken, 100*saved)
	if slower > max(budget, taken)+0.003 {
		t.Errorf("slowed by %.2f %%, the budget is %.0f %%", 100*slower, 100*budget)
	}
}

// TestOwnCostIsThatOfTheWholeRun: a program at the highest clock, whose observer takes a tenth of a
// quantum once in a window. What the account says that a run without it would have used agrees with
// such a run within 2.5 points, whatever part of the quanta is profiled: ebb's work draws another
// power than the model takes it for, and the first profiled quantum has a whole cost.
func TestOwnCostIsThatOfTheWholeRun(t *testing.T) {
	p := profile(t, "paper")
	for _, name := range []string{"single", "lusearch.fix", "xalan"} {
		w := mustProgram(t, name)
		alone, err := simtest.Static(p, w, simtest.Options{Seed: 5}, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		for _, holdOff := range []int{1, 2, 5, 20} {
			o := simtest.Options{Seed: 5, Counters: simhost.Counters(&p), HoldOff: holdOff,
				Overhead: 500 * time.Microsecond}
			m, err := simtest.New(p, w, o)
			if err != nil {
				t.Fatal(err)
			}
			cfg := simhost.Configure(governor.Default(), &p, &o)
			cfg.Slowdown = 0
			g, err := governor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := governor.Run(t.Context(), g, simhost.New(m)); err != nil {
				t.Fatal(err)
			}
			e, truth := g.Saving(), m.Truth()
			said := e.Highest / e.Used
			really := float64(alone.Energy.Package()) / float64(truth.Energy.Package())
			t.Logf("%s, hold-off %d: %.4f, in truth %.4f", name, holdOff, said, really)
			if math.Abs(said-really) > 0.025 {
				t.Errorf("%s, hold-off %d: without ebb %.4f of what was used, in truth %.4f", name,
					holdOff, said, really)
			}
		}
	}
}
