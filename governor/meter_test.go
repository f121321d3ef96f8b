package governor

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// TestBeside: a start that ebb takes a tenth of is skipped, some percent that stay are learned
// from, and so is what goes on for longer than a start.
func TestBeside(t *testing.T) {
	const quantum = 5 * time.Millisecond
	for _, c := range []struct {
		name    string
		part    float64 // of two quanta
		first   int     // quanta with it
		skipped int
	}{
		{"little", 0.026, 4000, 0},
		{"much at the start", 0.1, 40, 40},
		{"much all the time", 0.1, 4000, int(longestSkip / quantum)},
	} {
		var m meter
		skipped := 0
		for i := range 4000 {
			own := time.Duration(c.part * float64(2*quantum))
			if i >= c.first {
				own = 0
			}
			if m.beside(&Measured{Dur: quantum}, own) {
				skipped++
			}
		}
		if skipped != c.skipped {
			t.Errorf("%s: %d quanta skipped, not %d", c.name, skipped, c.skipped)
		}
	}
}

// TestProbesEnd: a probe lasts for one quantum in which the clock rises, and for those that make up
// probeTime at the highest frequency. The quantum before it is not counted, and none comes after.
func TestProbesEnd(t *testing.T) {
	for _, c := range []struct {
		quantum time.Duration
		quanta  int
	}{{5 * time.Millisecond, 9}, {10 * time.Millisecond, 5}, {30 * time.Millisecond, 3}} {
		cfg := Default()
		cfg.Quantum, cfg.MeterProbes, cfg.Counters = c.quantum, true, nil
		for f := units.Frequency(2e9); f <= 4e9; f += 1e8 {
			cfg.States = append(cfg.States, f)
		}
		g, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		lengths := probes(t, g, c.quantum)
		if len(lengths) < 3 {
			t.Fatalf("%v: %d probes", c.quantum, len(lengths))
		}
		for _, n := range lengths {
			if n != c.quanta {
				t.Errorf("%v: probes of %v quanta, not of %d", c.quantum, lengths, c.quanta)
				break
			}
		}
	}
}

// probes governs a thread that always computes, 2,000 quanta beside a meter, and counts the quanta
// of each probe. A new clock holds 100 us after it was asked for.
func probes(t *testing.T, g *Governor, quantum time.Duration) (lengths []int) {
	t.Helper()
	at, clock, next := units.Instant(time.Second), units.Frequency(4e9), units.Frequency(0)
	var meter units.Energy = 1e9
	probing := 0
	step := func(ev *Event) {
		for _, a := range g.Step(ev, nil) {
			switch {
			case a.Kind == SetFrequency:
				next = a.Frequency
			case a.Kind != Decided:
			case a.Quantum.Choice.Reason == policy.ReasonProbe:
				probing++
			case probing > 0:
				lengths, probing = append(lengths, probing), 0
			}
		}
	}
	sched := func(ev epochs.Event) { ev.By = -1; step(&Event{Kind: Sched, At: ev.At, Sched: ev}) }
	step(&Event{Kind: Begin, At: at, Frequency: clock})
	sched(epochs.Event{Kind: epochs.On, Cause: epochs.Started, At: at, Thread: 1})
	for range 2000 {
		from := at
		if next > 0 {
			clock, next = next, 0
			step(&Event{Kind: Applied, At: at.Add(100 * time.Microsecond), Frequency: clock})
		}
		at = at.Add(quantum)
		share := float64(clock) / 4e9
		meter += units.Energy(24 * share * share * share * float64(quantum))
		step(&Event{Kind: Metered, At: at, Package: meter})
		sched(epochs.Event{Kind: epochs.Slice, At: at, From: from, Thread: 1})
		sched(epochs.Event{Kind: epochs.Tick, At: at.Add(20 * time.Microsecond), Thread: -1})
	}
	return lengths
}
