package rig_test

import (
	"context"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/rig"
	"github.com/ebb-energy/ebb/units"
)

// sleepy is a machine whose cores and package sleep, and pay for each return. The values are chosen
// in the order of server parts', not measured.
func sleepy(t *testing.T) hardware.Profile {
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
// frequency, with rests of up to n quanta, and how often it looked.
func watched(t *testing.T, p hardware.Profile, w simtest.Workload, n int) (units.Energy, int) {
	t.Helper()
	o := simtest.Options{Seed: 3, Counters: rig.Counters(&p), Visits: simtest.Visits{
		Reader: 50 * time.Microsecond, Interrupt: 5 * time.Microsecond}}
	m, err := simtest.New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	cfg := rig.Configure(governor.Default(), &p, &o)
	cfg.States, cfg.Rest = cfg.States[len(cfg.States)-1:], n
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var seen looks
	if err := governor.Run(context.Background(), g, rig.New(m), &seen); err != nil {
		t.Fatal(err)
	}
	return m.Truth().Energy.Package(), seen.ticks
}

// TestWakesCostSleep: what ebb adds to the package's energy of a program that mostly sleeps, at the
// same clock. With rests it adds less.
func TestWakesCostSleep(t *testing.T) {
	p := sleepy(t)
	for _, period := range []time.Duration{2 * time.Millisecond, 10 * time.Millisecond,
		50 * time.Millisecond} {
		w := timers(period, int(6*time.Second/period))
		alone, err := simtest.Static(p, w, simtest.Options{Seed: 3}, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		without := alone.Energy.Package()
		more := func(e units.Energy) float64 { return 100 * (float64(e)/float64(without) - 1) }
		every, looks := watched(t, p, w, 0)
		rests, fewer := watched(t, p, w, 8)
		t.Logf("every %v: %.2f W without ebb; with it %.2f %% more (%d looks), with rests %.2f (%d)",
			period, float64(without)/float64(alone.Wall), more(every), looks, more(rests), fewer)
		if every <= without || rests > every || fewer > looks {
			t.Errorf("every %v: %v without, %v with, %v with rests", period, without, every, rests)
		}
	}
}
