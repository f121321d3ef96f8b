//go:build !race

package simhost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// alternating is a program of two threads that each run first for a while and then, in turns of the
// given lengths, second and first again.
func alternating(first, second *simtest.Mix, steady, turn int64, n int) simtest.Workload {
	return simtest.Workload{Name: "alternating", Threads: 2, Build: func(b *simtest.Builder) {
		for range b.Threads() {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				run := func(m *simtest.Mix, work int64) {
					for done := int64(0); done < work; done += 100_000 {
						t.Run(m, 100_000)
					}
				}
				run(first, steady)
				for range n {
					run(second, turn)
					run(first, turn)
				}
			})
		}
	}}
}

// looks counts the ticks of a run and notes its rests.
type looks struct {
	ticks int
	at    []units.Instant // of ticks
	rests []governor.Silence
}

func (l *looks) Observe(ev *governor.Event, actions []governor.Action) {
	if ev.Kind == governor.Sched && ev.Sched.Kind == epochs.Tick {
		l.ticks++
		l.at = append(l.at, ev.Sched.At)
	}
	for _, a := range actions {
		if a.Kind == governor.Rest {
			l.rests = append(l.rests, a.Rest)
		}
	}
}

// ended is the tick that ended a rest.
func (l *looks) ended(s *governor.Silence) units.Instant {
	for _, at := range l.at {
		if at > s.From {
			return at
		}
	}
	return s.Until
}

func resting(n int, budget units.Slowdown) func(*governor.Config) {
	return func(c *governor.Config) { c.Rest, c.Brief, c.Slowdown = n, true, budget }
}

// TestRestsWhileSteady: the governor looks at a steady program at most a third as often, and loses
// and saves as much as without rests, to a few tenths of a percent.
func TestRestsWhileSteady(t *testing.T) {
	p := profile(t, "paper")
	for name, w := range map[string]simtest.Workload{
		"compute": alternating(&compute, &compute, 30e9, 1e6, 0),
		"chase":   alternating(&chase, &chase, 2e9, 1e6, 0),
	} {
		o := simtest.Options{Seed: 7, Counters: simhost.Counters(&p)}
		alone, err := simtest.Static(p, w, simtest.Options{Seed: 7}, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		var every, rests looks
		a := govern(t, w, o, resting(0, 0.05), &every)
		b := govern(t, w, o, resting(8, 0.05), &rests)
		slower := func(r *run) float64 { return float64(r.truth.Wall)/float64(alone.Wall) - 1 }
		saved := func(r *run) float64 {
			return 1 - float64(r.truth.Energy.Package())/float64(alone.Energy.Package())
		}
		t.Logf("%s, %v: %d looks, slowed by %.2f %%, %.2f %% saved; with rests %d, %.2f, %.2f",
			name, alone.Wall, every.ticks, 100*slower(a), 100*saved(a), rests.ticks, 100*slower(b),
			100*saved(b))
		if rests.ticks > every.ticks/3 {
			t.Errorf("%s: %d looks of %d", name, rests.ticks, every.ticks)
		}
		if slower(b) > max(0.05, slower(a))+0.001 || saved(b) < saved(a)-0.005 {
			t.Errorf("%s: slowed by %.2f %% instead of %.2f, %.2f %% saved instead of %.2f", name,
				100*slower(b), 100*slower(a), 100*saved(b), 100*saved(a))
		}
	}
}

// TestChangeEndsTheRest: when the program turns from one kind of work to another in mid-rest, the
// next end of a quantum ends the rest, and the quantum of the change is decided on alone. The
// budget holds as it does without rests.
func TestChangeEndsTheRest(t *testing.T) {
	p := profile(t, "paper")
	for name, w := range map[string]simtest.Workload{
		"memory, then compute": alternating(&chase, &compute, 1.2e9, 300e6, 6),
		"compute, then memory": alternating(&compute, &chase, 8e9, 100e6, 6),
	} {
		for _, counters := range [][]string{simhost.Counters(&p), simulatorCounters} {
			t.Run(fmt.Sprint(name, "/", len(counters)), func(t *testing.T) {
				alone, err := simtest.Static(p, w, simtest.Options{Seed: 9}, p.Highest())
				if err != nil {
					t.Fatal(err)
				}
				o := simtest.Options{Seed: 9, Counters: counters}
				var seen looks
				b := govern(t, w, o, resting(16, 0.05), &seen)
				a := govern(t, w, o, resting(0, 0.05))
				slower := func(r *run) float64 {
					return float64(r.truth.Wall)/float64(alone.Wall) - 1
				}
				t.Logf("slowed by %.2f %%, without rests %.2f; %d looks in %v, %d rests",
					100*slower(b), 100*slower(a), seen.ticks, b.truth.Wall, len(seen.rests))
				if slower(b) > max(0.05, slower(a))+0.002 {
					t.Errorf("slowed by %.2f %%, without rests %.2f", 100*slower(b), 100*slower(a))
				}
				early := 0
				for _, r := range seen.rests {
					if seen.ended(&r) < r.Until {
						early++
					}
				}
				t.Logf("%d rests were ended early", early)
				if early == 0 {
					t.Errorf("no rest of %d was ended early", len(seen.rests))
				}
				checkLastAlone(t, b, &seen)
			})
		}
	}
}

// checkLastAlone checks that a rest that was ended early has its last quantum decided on alone.
func checkLastAlone(t *testing.T, r *run, seen *looks) {
	t.Helper()
	const quantum = 5 * time.Millisecond
	ends := map[units.Instant]time.Duration{}
	for i := range r.quanta {
		ends[r.quanta[i].Start.Add(r.quanta[i].Dur)] = r.quanta[i].Dur
		if r.quanta[i].Stale || r.quanta[i].Hole {
			t.Errorf("the quantum at %d is a hole", r.quanta[i].Start)
		}
	}
	for _, s := range seen.rests {
		if at := seen.ended(&s); at < s.Until && ends[at] > quantum {
			t.Errorf("the rest from %d was ended at %d, its last quantum has %v", s.From, at,
				ends[at])
		}
	}
}

// TestCostlyGovernorLooksLess: where the governor costs more than the budget, the program keeps the
// highest clock and loses less than half of what it would lose to a governor without rests.
func TestCostlyGovernorLooksLess(t *testing.T) {
	p := profile(t, "paper")
	w := alternating(&chase, &compute, 600e6, 300e6, 4)
	alone, err := simtest.Static(p, w, simtest.Options{Seed: 9}, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	o := simtest.Options{Seed: 9, Counters: simhost.Counters(&p), Overhead: 200 * time.Microsecond}
	slower := func(rest int) float64 {
		r := govern(t, w, o, resting(rest, 0.01))
		return float64(r.truth.Wall)/float64(alone.Wall) - 1
	}
	every, rests := slower(0), slower(8)
	t.Logf("slowed by %.2f %%, with rests %.2f; the budget is 1", 100*every, 100*rests)
	if every < 0.03 || rests > every/2 {
		t.Errorf("slowed by %.2f %%, with rests %.2f", 100*every, 100*rests)
	}
}
