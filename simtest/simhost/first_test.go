package simhost_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// lasting is a program that does the same for as many rounds as it is given.
func lasting(kind string, rounds int) simtest.Workload {
	return simtest.Workload{Name: kind, Threads: 4, Build: func(b *simtest.Builder) {
		l := b.Mutex(2000)
		for i := range b.Threads() {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for range rounds {
					switch {
					case kind == "memory":
						t.Run(&stream, 200000+t.Rand().Int64N(100000))
					case kind == "compute" || kind == "unlike" && i < 2:
						t.Run(&compute, 900000+t.Rand().Int64N(300000))
					case kind == "unlike":
						t.Run(&chase, 200000+t.Rand().Int64N(100000))
					default:
						t.Run(&compute, 400000+t.Rand().Int64N(100000))
						t.Run(&chase, 80000+t.Rand().Int64N(40000))
						t.Lock(l)
						t.Run(&chase, 2000)
						t.Unlock(l)
					}
				}
			})
		}
	}}
}

// TestLearnsSoon: a governor that begins without any knowledge does in its first half second nearly
// what it does after that. So what it has learned is not worth keeping for a next time.
func TestLearnsSoon(t *testing.T) {
	devtest.Long(t)
	p := profile(t, "paper")
	o := simtest.Options{Seed: 1,
		Counters: []string{"crit_offx", "sq_off", "instructions", "dram_rd"}}
	top := func(w simtest.Workload) *simtest.Truth {
		truth, err := simtest.Static(p, w, o, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		return truth
	}
	for _, kind := range []string{"memory", "compute", "unlike", "locks"} {
		second := 1000 * float64(time.Second) / float64(top(lasting(kind, 1000)).Wall)
		// Each end's time and energy are taken from those of the next one.
		var saved, lost []float64
		var wall, highest time.Duration
		var energy, most units.Energy
		for _, end := range []float64{0.1, 0.5, 1, 3} {
			w := lasting(kind, int(end*second))
			top, of := top(w), govern(t, w, o, slowdown(0.05)).truth
			lost = append(lost, 100*(float64(of.Wall-wall)/float64(top.Wall-highest)-1))
			saved = append(saved, 100*(1-float64(of.Energy.Package()-energy)/
				float64(top.Energy.Package()-most)))
			wall, energy = of.Wall, of.Energy.Package()
			highest, most = top.Wall, top.Energy.Package()
		}
		t.Logf("%s: to 0.1, 0.5, 1 and 3 s slower by %.2f %%, saved %.2f %%", kind, lost, saved)
		const last = 3
		// In points of a second's energy.
		if missed := 0.1*(saved[last]-saved[0]) + 0.4*(saved[last]-saved[1]); missed > 0.8 {
			t.Errorf("%s: %.2f %% of a second's energy are missed in the first half", kind, missed)
		}
		if d := saved[last] - saved[2]; d > 0.5 {
			t.Errorf("%s: %.2f points less are saved in the second half second than later", kind, d)
		}
		if d := lost[0] - lost[last]; d > 0.5 {
			t.Errorf("%s: %.2f points slower at first", kind, d)
		}
	}
}
