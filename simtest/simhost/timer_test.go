package simhost_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// TestTimerThreadDoesNotHideTheOthers: a thread that looks up now and then, as runtimes have one,
// does not hide how much slower the others get.
func TestTimerThreadDoesNotHideTheOthers(t *testing.T) {
	busy := simtest.Mix{Name: "busy", CPI: 0.65, L3: 0.6, Memory: 0.05, Stores: 80, Parallel: 1.3,
		Spread: 0.1}
	for _, every := range []time.Duration{20 * time.Microsecond, time.Millisecond} {
		w := simtest.Workload{Name: "timer", Threads: 3, Build: func(b *simtest.Builder) {
			left := b.Threads()
			for range b.Threads() {
				b.Thread("worker", simtest.App, func(t *simtest.Thread) {
					for range 600 {
						t.Run(&busy, 1_000_000)
					}
					left--
				})
			}
			b.Thread("timer", simtest.App, func(t *simtest.Thread) {
				for left > 0 {
					t.Sleep(every)
					t.Run(&busy, 10_000)
				}
			})
		}}
		p := profile(t, "paper")
		o := simtest.Options{Seed: 5, Counters: simulatorCounters}
		r := govern(t, w, o, slowdown(0.05))
		fast, err := simtest.Static(p, w, o, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		if lost := (r.truth.Wall.Seconds()/fast.Wall.Seconds() - 1) * 100; lost > 6 || lost < 3 {
			t.Errorf("a timer every %v: %.2f %% slower with a budget of 5 %%", every, lost)
		}
	}
}
