package hardware

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/tolerance"
	"github.com/ebb-energy/ebb/units"
)

const gigahertz units.Frequency = 1_000_000_000

// TestFaultsComeAtTheirRate: random faults come at their configured rate.
func TestFaultsComeAtTheirRate(t *testing.T) {
	const seed, n = 6, 100_000
	r := rand.New(rand.NewPCG(seed, 0))
	f := FaultPlan{Refuse: 0.1, Ignore: 0.02, Late: 0.3, LateBy: time.Millisecond, Lose: 0.005}
	var refused, ignored, late, lost int
	var longest time.Duration
	for range n {
		if f.Refusal(r) != "" {
			refused++
		}
		if f.Ignores(r, 0) {
			ignored++
		}
		if d := f.Delay(r); d > 0 {
			late++
			longest = max(longest, d)
		}
		if f.Loses(r) {
			lost++
		}
	}
	for _, c := range []struct {
		what string
		got  int
		want float64
	}{{"refused", refused, f.Refuse}, {"ignored", ignored, f.Ignore}, {"late", late, f.Late},
		{"lost", lost, f.Lose}} {
		least, most := tolerance.Count(n, c.want, tolerance.FalseAlarm)
		if c.got < least || c.got > most {
			t.Errorf("seed %d: %d of %d %s, want %d to %d", seed, c.got, n, c.what, least, most)
		}
	}
	if longest > f.LateBy || longest < f.LateBy*9/10 {
		t.Errorf("seed %d: late by up to %v, want %v", seed, longest, f.LateBy)
	}
	var none FaultPlan
	before := *r
	if none.Refusal(r) != "" || none.Ignores(r, 0) || none.Delay(r) != 0 || none.Loses(r) ||
		*r != before {
		t.Error("a machine without faults has some, or draws numbers for them")
	}
}

// TestFaultsHoldFromBeginningToEnd: caps, outages and blind times hold from their beginning until
// before their end, and next finds every change.
func TestFaultsHoldFromBeginningToEnd(t *testing.T) {
	f := FaultPlan{
		Caps: []Cap{{From: 10, To: 20, Max: 2 * gigahertz},
			{From: 15, To: 30, Max: 3 * gigahertz}},
		Outages: []Outage{{From: 12, To: 18, Core: 2}, {From: 0, To: 100, Core: 0}},
		Blind:   []Span{{5, 7}},
	}
	for d := time.Duration(0); d < 110; d++ {
		limit, online, counts := f.Limit(d), f.Online(d, 2), f.Readable(d)
		wantLimit := 0 * gigahertz
		switch {
		case d >= 10 && d < 20:
			wantLimit = 2 * gigahertz
		case d >= 20 && d < 30:
			wantLimit = 3 * gigahertz
		}
		if limit != wantLimit || online == (d >= 12 && d < 18) || counts == (d >= 5 && d < 7) ||
			!f.Online(d, 0) || !f.Online(d, 1) {
			t.Errorf("at %d: limit %v, core 2 online %v, counters %v", d, limit, online, counts)
		}
	}
	var changes []time.Duration
	for d, ok := f.Next(-1); ok; d, ok = f.Next(d) {
		changes = append(changes, d)
	}
	want := []time.Duration{0, 10, 12, 15, 18, 20, 30, 100}
	if len(changes) != len(want) {
		t.Fatalf("changes at %v, want %v", changes, want)
	}
	for i := range want {
		if changes[i] != want[i] {
			t.Fatalf("changes at %v, want %v", changes, want)
		}
	}
}
