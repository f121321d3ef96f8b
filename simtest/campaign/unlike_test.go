//go:build !race

package campaign

import (
	"flag"
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

var unlikeRuns = flag.Int("unlike", 3, "how many seeds to run of each program of unlike threads")

const (
	// unlikeMean and unlikeWorst are the excess over the budget that programs of unlike threads may
	// have, in the mean over seeds and with any.
	unlikeMean, unlikeWorst = 0.003, 0.01
)

// TestUnlike: programs whose threads are unlike for 10 to 500 ms keep their budget, whether the
// clock takes effect at once or up to 1 ms after the quantum's end, with as many threads as their
// own and with twice as many.
func TestUnlike(t *testing.T) {
	seeds := uint64(devtest.Cases(*unlikeRuns, 2))
	budgets := []units.Slowdown{0.05, 0.02, 0.1}
	effects := []time.Duration{0, time.Millisecond, 250 * time.Microsecond, 500 * time.Microsecond}
	runs := 0
	for i, w := range workload.Unlike() {
		for j, budget := range budgets {
			for k, effect := range effects {
				if testing.Short() && (i+j+k)%24 != 0 {
					continue
				}
				w := w
				if k%2 == 1 {
					w.Threads *= 2
				}
				mean := 0.0
				for seed := range seeds {
					lost := unlikeSlowdown(t, w, budget, effect, seed+1)
					runs++
					mean += lost / float64(seeds)
					if lost > float64(budget)+unlikeWorst {
						t.Errorf("%s, %d threads, effect after %v, seed %d: %.2f %% slower of %v",
							w.Name, w.Threads, effect, seed+1, 100*lost, budget)
					}
				}
				if mean > float64(budget)+unlikeMean {
					t.Errorf("%s, %d threads, effect after %v: %.2f %% slower of %v in the mean",
						w.Name, w.Threads, effect, 100*mean, budget)
				}
			}
		}
	}
	t.Logf("%d runs", runs)
}

// unlikeSlowdown is a governed run's excess time over one at the highest frequency.
func unlikeSlowdown(
	t *testing.T, w simtest.Workload, budget units.Slowdown, effect time.Duration, seed uint64,
) float64 {
	t.Helper()
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithCores(w.Threads)
	top, err := simtest.Static(p, w, simtest.Options{Seed: seed, Quiet: true}, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	p.Transition.Latency = effect
	o := simtest.Options{Seed: seed, Quantum: 5 * time.Millisecond, Exact: true,
		Counters: simhost.Counters(&p)}
	cfg := governor.Default()
	cfg.Slowdown = budget
	g, err := governor.New(simhost.Configure(cfg, &p, &o))
	if err != nil {
		t.Fatal(err)
	}
	m, err := simtest.New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := governor.Run(t.Context(), g, simhost.New(m)); err != nil {
		t.Fatal(err)
	}
	return m.Truth().Wall.Seconds()/top.Wall.Seconds() - 1
}
