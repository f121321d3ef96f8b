//go:build !race

package simhost_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// steadyWork is a program of n threads that alternate between computing and memory, and sleep for
// pause after each stretch of some 20 ms.
func steadyWork(n, stretches int, pause time.Duration) simtest.Workload {
	return simtest.Workload{Name: "steady", Threads: n, Build: func(b *simtest.Builder) {
		for range n {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for range stretches {
					for range 20 {
						t.Run(&compute, 4_000_000)
						t.Run(&chase, 700_000)
					}
					if pause > 0 {
						t.Sleep(pause)
					}
				}
			})
		}
	}}
}

// others loads each core of n with a share of other programs: whole threads and a part.
func others(n int, share, weight float64) (list []simtest.Other) {
	for c := range n {
		rest := share
		for ; rest >= 1; rest-- {
			list = append(list, simtest.Other{Core: c, Share: 1, Weight: weight})
		}
		if rest > 0 {
			list = append(list, simtest.Other{Core: c, Share: rest, Weight: weight})
		}
	}
	return list
}

// TestBudgetBesideOthers: beside other programs, at other weights and under a quota, a run with a
// budget of 5 % is 3 to 5.3 % slower than one at the highest frequency, and says so.
func TestBudgetBesideOthers(t *testing.T) {
	const cores = 4
	for _, c := range []struct {
		name    string
		threads int
		pause   time.Duration
		others  []simtest.Other
		quota   float64
	}{
		{name: "alone", threads: 4},
		{name: "half", threads: 4, others: others(cores, 0.5, 1)},
		{name: "two spinners", threads: 4, others: others(cores, 2, 1)},
		{name: "one spinner, one thread", threads: 1, others: others(cores, 1, 1)},
		{name: "a heavy spinner", threads: 4, others: others(cores, 1, 3)},
		{name: "a light spinner", threads: 4, others: others(cores, 1, 0.3)},
		{name: "spinner, sleeps", threads: 4, pause: 5 * time.Millisecond,
			others: others(cores, 1, 1)},
		{name: "quota of 25 %", threads: 1, quota: 0.25},
		{name: "quota of 50 %", threads: 1, quota: 0.5},
		{name: "quota of 90 %", threads: 1, quota: 0.9},
		{name: "quota of two CPUs", threads: 4, quota: 2},
		{name: "quota of 50 %, sleeps", threads: 1, pause: 10 * time.Millisecond, quota: 0.5},
		{name: "quota of 50 % beside a spinner", threads: 1, quota: 0.5,
			others: others(cores, 1, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			const runs = 3
			off := 0.0
			for seed := range uint64(runs) {
				w := steadyWork(c.threads, 200, c.pause)
				p := profile(t, "paper")
				o := simtest.Options{Seed: seed, Counters: simulatorCounters, Others: c.others,
					Quota: simtest.Quota{CPUs: c.quota}}
				var slow, fast time.Duration
				r := govern(t, w, o, slowdown(0.05))
				f, err := simtest.Static(p, w, o, p.Highest())
				if err != nil {
					t.Fatal(err)
				}
				slow, fast = r.truth.Wall, f.Wall
				lost := float64(slow)/float64(fast) - 1
				claimed := float64(claimed(r.quanta))
				t.Logf("seed %d: %v, at the highest %v: %.2f %% slower, %.2f said", seed, slow,
					fast, 100*lost, 100*claimed)
				if lost > 0.053 || lost < 0.03 {
					t.Errorf("seed %d: %.2f %% slower", seed, 100*lost)
				}
				off += (lost - claimed) / runs
			}
			if off > 0.005 || off < -0.005 {
				t.Errorf("%+.2f points beyond what was said", 100*off)
			}
		})
	}
}

// claimed is the slowdown that a report of the quanta would state.
func claimed(qs []governor.Quantum) units.Slowdown {
	var effective, highest float64
	for i := range qs {
		effective += qs[i].AtEffective
		if q := &qs[i]; q.AtHighest != 0 {
			highest += q.AtHighest
		} else {
			highest += q.Max
		}
	}
	return units.Slowdown(effective/highest - 1)
}
