package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// TestOwnCost: quanta of 10 ms, each of which would have taken 9.5 ms at the highest frequency. Ebb
// took own of each, which a run without ebb does not have. With a hold-off, quanta carry the cost
// of those that were not profiled.
func TestOwnCost(t *testing.T) {
	for _, tc := range []struct {
		name       string
		own        time.Duration
		budget     float64
		holdOff    int
		sampled    bool
		wantOwn    float64
		wantTotal  float64
		wantAdvice string
	}{
		{"nothing", 0, 0.05, 1, false, 0, 0.0526, ""},
		{"within the budget", 100 * time.Microsecond, 0.05, 1, false, 0.0106, 0.0638, ""},
		{"beyond it", 900 * time.Microsecond, 0.05, 1, false, 0.1047, 0.1628, "--hold-off 5 would"},
		{"no budget", 100 * time.Microsecond, 0, 1, false, 0.0106, 0.0638, "of 0.0 %"},
		{"hold-off", 200 * time.Microsecond, 0.05, 2, false, 0.0106, 0.0638, ""},
		{"samples", 900 * time.Microsecond, 0.05, 1, true, 0.1047, 0.1628, "highest frequency$"},
		{"no such hold-off", 900 * time.Microsecond, 0.00001, 50, false, 0.0019, 0.0546,
			"highest frequency$"},
	} {
		r := &Report{Objective: "slowdown", SlowdownBudget: tc.budget, HoldOff: tc.holdOff}
		c := NewObserver(r, []units.Frequency{1e9, 4e9}, power.Table2())
		c.Sampled = tc.sampled
		c.Observe(&governor.Event{Kind: governor.Begin, Frequency: 4e9}, nil)
		c.Observe(&governor.Event{Kind: governor.Overhead, Displaced: 5, Traced: 7}, nil)
		const quantum, quanta = 10 * time.Millisecond, 100
		for i := range quanta {
			q := governor.Quantum{Measured: governor.Measured{Dur: quantum, Busy: quantum,
				Start: units.Instant(i * tc.holdOff * int(quantum))}}
			q.Own, q.AtEffective, q.Max = tc.own, float64(quantum), 9.5e6
			c.Observe(&governor.Event{Kind: governor.Sched},
				[]governor.Action{{Kind: governor.Decided, Quantum: q}})
		}
		c.Observe(&governor.Event{Kind: governor.End,
			At: units.Instant(quanta * tc.holdOff * int(quantum))}, nil)
		c.Finish()
		if math.Abs(r.SlowdownOwn-tc.wantOwn) > 1e-4 ||
			math.Abs(r.SlowdownTotal-tc.wantTotal) > 1e-4 {
			t.Errorf("%s: own %.4f, together %.4f, want %.4f and %.4f", tc.name, r.SlowdownOwn,
				r.SlowdownTotal, tc.wantOwn, tc.wantTotal)
		}
		said := strings.Join(r.Warnings, "\n")
		if (tc.wantAdvice == "") != (said == "") || !strings.Contains(said+"$", tc.wantAdvice) {
			t.Errorf("%s: it says %q, want %q", tc.name, said, tc.wantAdvice)
		}
		if r.DisplacedNS != 5 || r.TracedNS != 7 {
			t.Errorf("%s: displaced %d, traced %d", tc.name, r.DisplacedNS, r.TracedNS)
		}
	}
}
