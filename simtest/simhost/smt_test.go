//go:build !race

package simhost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// comesAndGoes is a program of which n threads work all the time, and as many more for a while now
// and then: beside the others, where hardware threads share cores.
func comesAndGoes(n, stretches int, on, off time.Duration) simtest.Workload {
	return simtest.Workload{Name: "comes and goes", Threads: n, Build: func(b *simtest.Builder) {
		for range n {
			b.Thread("steady", simtest.App, func(t *simtest.Thread) {
				for range stretches {
					for range 20 {
						t.Run(&compute, 4_000_000)
						t.Run(&chase, 700_000)
					}
				}
			})
			b.Thread("guest", simtest.Compiler, func(t *simtest.Thread) {
				for {
					for range int(on / time.Millisecond) {
						t.Run(&compute, 4_000_000)
						t.Run(&chase, 350_000)
					}
					t.Sleep(off/2 + time.Duration(t.Rand().Int64N(int64(off))))
				}
			})
		}
	}}
}

// TestBudgetBesideSiblings: where two hardware threads share a core and the load on the other one
// comes and goes, the program's own or another's, a run with a budget of 5 % is at most 5.3 %
// slower than one at the highest frequency.
func TestBudgetBesideSiblings(t *testing.T) {
	siblings := func(share float64, burst time.Duration) (list []simtest.Other) {
		for c := 1; c < 4; c += 2 {
			list = append(list, simtest.Other{Core: c, Share: share, Burst: burst})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		w      simtest.Workload
		others []simtest.Other
	}{
		{"own, all the time", steadyWork(4, 150, 0), nil},
		{"own, sleeping", pooled(4, 600, 5*time.Millisecond), nil},
		{"own, three threads", pooled(3, 600, 2*time.Millisecond), nil},
		{"own, more threads than CPUs", pooled(7, 400, 2*time.Millisecond), nil},
		{"own, for short", comesAndGoes(2, 200, 4*time.Millisecond, 8*time.Millisecond), nil},
		{"own, for long", comesAndGoes(2, 200, 100*time.Millisecond, 100*time.Millisecond), nil},
		{"foreign, all the time", steadyWork(2, 200, 0), siblings(1, 0)},
		{"foreign, for short", steadyWork(2, 200, 0), siblings(0.5, 0)},
		{"foreign, for long", steadyWork(2, 200, 0), siblings(0.5, 200*time.Millisecond)},
		{"foreign, one thread", pooled(1, 800, 2*time.Millisecond),
			siblings(0.5, 30*time.Millisecond)},
		{"foreign, on all hardware threads", steadyWork(4, 100, 0),
			others(4, 0.5, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := *turns; seed < *turns+5; seed++ {
				p, err := profile(t, "paper").WithSMT(seed)
				if err != nil {
					t.Fatal(err)
				}
				o := simtest.Options{Seed: seed, Counters: simulatorCounters, Others: c.others}
				r := governOn(t, p, c.w, o, slowdown(0.05))
				f, err := simtest.Static(p, c.w, o, p.Highest())
				if err != nil {
					t.Fatal(err)
				}
				lost := float64(r.truth.Wall)/float64(f.Wall) - 1
				said := float64(claimed(r.quanta))
				saved := 1 - float64(r.truth.Energy.Package())/float64(f.Energy.Package())
				what := fmt.Sprintf("seed %d, %.2f and %.2f: %.2f %% slower, %.2f said, %.1f saved",
					seed, p.SMT.Compute, p.SMT.Memory, 100*lost, 100*said, 100*saved)
				t.Log(what)
				if lost > 0.053 {
					t.Error(what)
				}
			}
		})
	}
}
