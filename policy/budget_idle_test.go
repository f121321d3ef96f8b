package policy

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestOnlyWorkEarns: an idle hour leaves nothing, and a little work in it leaves little.
func TestOnlyWorkEarns(t *testing.T) {
	b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps500, CarryMax: time.Hour})
	b.Decide(busy(5*ms), work{Scaling: 5e6})
	highest := busy(5 * ms)
	highest.Took = 5e6
	if d := b.Decide(highest, work{Scaling: 5e6}); d.Slack != 250e3 {
		t.Fatalf("%v ns carried, want 250 us", d.Slack)
	}
	for _, q := range []Quantum{
		{Start: units.Instant(5 * ms), Dur: time.Hour},
		{Start: units.Instant(time.Hour), Dur: 5 * ms},
	} {
		calls := 0
		d := b.Decide(q, work{Fixed: float64(q.Dur), Calls: &calls})
		if d.Slack != 250e3 || d.Reason != ReasonIdle || calls != 0 {
			t.Errorf("idle %v: %v ns carried (%s), %d predictions asked for; want 250 us, none",
				q.Dur, d.Slack, d.Reason, calls)
		}
	}
	// 100 us of work in 5 ms: 5 us at most.
	d := b.Decide(Quantum{Start: units.Instant(2 * time.Hour), Dur: 5 * ms,
		Busy: 100 * time.Microsecond, Took: 5e6}, work{Scaling: 100e3, Fixed: 4.9e6})
	if d.Slack > 255e3 {
		t.Errorf("100 us of work left %v ns", d.Slack-250e3)
	}
}

// TestLittleWorkDoesNotBuyALowFrequency: little work in a quantum does not make a low frequency
// affordable. With 240 us carried, 50 us of work could take four times as long, and the next
// quantum, busy from end to end, 15 ms more.
func TestLittleWorkDoesNotBuyALowFrequency(t *testing.T) {
	b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps500})
	b.Decide(busy(5*ms), work{Scaling: 5e6})
	b.carry = 240e3
	d := b.Decide(Quantum{Start: units.Instant(5 * ms), Dur: 5 * ms,
		Busy: 50 * time.Microsecond, Took: 5e6}, work{Scaling: 50e3, Fixed: 4.95e6})
	if d.Frequency != 4*ghz {
		t.Errorf("%v (%s): the work is slowed by more than the carried time allows a whole quantum",
			d.Frequency, d.Reason)
	}
}

// TestLongPauseRestoresTheHighestFrequency: a short pause keeps the frequency, a long one does not,
// because speed is promised.
func TestBudgetAfterALongPause(t *testing.T) {
	checkPauses(t, newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps500}), 4*ghz)
}

// TestHoleRunsAtTheHighestFrequency: a hole runs at the highest frequency and neither earns nor
// loses time, and the frequency does not come back while idle.
func TestHoleRunsAtTheHighestFrequency(t *testing.T) {
	b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps500})
	b.Decide(busy(5*ms), work{Scaling: 1e6, Fixed: 4e6})
	highest := busy(5 * ms)
	highest.Took = 5e6
	kept := b.Decide(highest, work{Scaling: 1e6, Fixed: 4e6}).Slack
	if kept == 0 {
		t.Fatal("nothing is carried")
	}
	if d := b.Decide(Quantum{Dur: 5 * ms, Busy: 5 * ms, Hole: true},
		work{Scaling: 4e6}); d.Max != 4e6 || d.Chosen != 4e6 {
		t.Errorf("predicted 4 ms at the highest, decided on %v and %v", d.Max, d.Chosen)
	}
	for _, tc := range []struct {
		name string
		q    Quantum
		p    Predictions
	}{
		{"hole", Quantum{Dur: 5 * ms, Busy: 5 * ms, Hole: true}, work{Fixed: 5e6}},
		{"idle with a hole", Quantum{Dur: 5 * ms, Hole: true}, work{Fixed: 5e6}},
		{"no length", Quantum{Busy: 5 * ms}, work{Fixed: 5e6}},
		{"predicted NaN", busy(5 * ms), work{Fixed: math.NaN()}},
		{"predicted infinity", busy(5 * ms), work{Fixed: math.Inf(1)}},
		{"predicted nothing", busy(5 * ms), work{}},
		{"predicted less than nothing", busy(5 * ms), work{Fixed: -1}},
	} {
		d := b.Decide(tc.q, tc.p)
		if d.Frequency != 4*ghz || d.Reason != ReasonHole || d.Slack != kept {
			t.Errorf("%s: %v (%s), %v ns carried; want the highest and %v ns", tc.name, d.Frequency,
				d.Reason, d.Slack, kept)
		}
		if d := b.Decide(Quantum{Start: tc.q.Start.Add(tc.q.Dur), Dur: 5 * ms},
			work{}); d.Frequency != 4*ghz {
			t.Errorf("%s, then idle: %v", tc.name, d.Frequency)
		}
	}
}
