//go:build !race

package simhost_test

import (
	"context"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// sleepy is a machine whose cores and package sleep, and pay for each return. The values are chosen
// in the order of server parts', not measured.
func sleepy(t testing.TB) hardware.Profile {
	t.Helper()
	p, err := hardware.ByName("haswell-ep")
	if err != nil {
		t.Fatal(err)
	}
	p.Power.Core.Wake = 30_000
	p.Power.Uncore.SleepAfter = 600 * time.Microsecond
	p.Power.Uncore.Asleep = 0.3
	p.Power.Uncore.Wake = 100_000
	return p
}

// timers is a program that sleeps, and works for a moment with each ring of its timer.
func timers(period time.Duration, n int) simtest.Workload {
	return simtest.Workload{Name: "timers", Threads: 1, Build: func(b *simtest.Builder) {
		b.Thread("app", simtest.App, func(t *simtest.Thread) {
			for range n {
				t.Run(&compute, 600_000)
				t.Sleep(period)
			}
		})
	}}
}

// watched is the energy of the package for w under a governor that always chooses the highest
// frequency, with rests of up to n quanta, and how often it looked. Its timers go on for linger
// quanta on a core that the program has left idle.
func watched(
	t testing.TB, p hardware.Profile, w simtest.Workload, linger, n int,
) (units.Energy, int) {
	t.Helper()
	o := simtest.Options{Seed: 3, Counters: simhost.Counters(&p), Visits: simtest.Visits{
		Reader: 50 * time.Microsecond, Interrupt: 5 * time.Microsecond, Linger: linger}}
	m, err := simtest.New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	cfg := simhost.Configure(governor.Default(), &p, &o)
	cfg.States, cfg.Rest = cfg.States[len(cfg.States)-1:], n
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var seen looks
	if err := governor.Run(context.Background(), g, simhost.New(m), &seen); err != nil {
		t.Fatal(err)
	}
	return m.Truth().Energy.Package(), seen.ticks
}

// sleepers are programs that sleep for so long each time, and the most that ebb may add to the
// package's energy, in %, with rests and without timers on idle cores.
var sleepers = []struct {
	period time.Duration
	most   float64
}{{2 * time.Millisecond, 2}, {10 * time.Millisecond, 3.5}, {50 * time.Millisecond, 2.5}}

// asleep is what ebb adds to the package's energy of a program that mostly sleeps, at the same
// clock, in %: with timers that go on, with ones that fire once on an idle core, and rests, and
// with ones that do not fire there. looks and fewer are the numbers of looks of the first and the
// last.
type asleep struct {
	alone             units.Energy
	wall              time.Duration
	before, once, now float64
	looks, fewer      int
}

func costSleep(t testing.TB, period time.Duration) (a asleep) {
	t.Helper()
	p := sleepy(t)
	w := timers(period, int(6*time.Second/period))
	alone, err := simtest.Static(p, w, simtest.Options{Seed: 3}, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	a.alone, a.wall = alone.Energy.Package(), alone.Wall
	more := func(linger, n int) (percent float64, looks int) {
		e, looks := watched(t, p, w, linger, n)
		return 100 * (float64(e)/float64(a.alone) - 1), looks
	}
	a.before, a.looks = more(4, 0)
	a.once, _ = more(1, 8)
	a.now, a.fewer = more(0, 8)
	return a
}

// TestWakesCostSleep: timers that do not fire on idle cores are most of what can be saved, and
// rests the rest.
func TestWakesCostSleep(t *testing.T) {
	for _, c := range sleepers {
		a := costSleep(t, c.period)
		t.Logf("every %v: %.2f W without ebb; %.1f %% more with timers that go on (%d looks), "+
			"%.1f with ones that fire once and rests, %.1f with ones that do not fire (%d)",
			c.period, float64(a.alone)/float64(a.wall), a.before, a.looks, a.once, a.now, a.fewer)
		// A period that is longer than a rest leaves nothing to rest in.
		if a.once > a.before || a.now > a.once || a.now > c.most || a.fewer > a.looks {
			t.Errorf("every %v: %.2f, %.2f and %.2f %% more", c.period, a.before, a.once, a.now)
		}
	}
}

// BenchmarkSleepers has the same for docs/figures/costs.txt.
func BenchmarkSleepers(b *testing.B) {
	for _, c := range sleepers {
		b.Run(c.period.String(), func(b *testing.B) {
			var a asleep
			for b.Loop() {
				a = costSleep(b, c.period)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(a.now, "%more")
			b.ReportMetric(a.before, "%more-with-timers")
		})
	}
}
