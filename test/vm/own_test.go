package vm

import (
	"math"
	"strings"
	"testing"
)

// TestBudgetBelowOwnCost: on this emulated processor ebb alone costs more than a budget of 1 %. It
// then stays at the highest clock and says so.
func TestBudgetBelowOwnCost(t *testing.T) {
	settle(t)
	plain, top := at(t, states(t)[0], mixed), highest(t, mixed)
	u, rep, r := governed(t, mixed, "--slowdown", "1%")
	slow := u.time.Seconds()/plain.time.Seconds() - 1
	t.Logf("governed: slowdown %.2f %%, at the highest frequency %.2f %%; %v", 100*slow,
		100*(top.time.Seconds()/plain.time.Seconds()-1), rep.Warnings)
	checkSlowdown(t, &rep, slow)
	if rep.SlowdownPredicted > 0.0005 {
		t.Errorf("the clock costs %.2f %%", 100*rep.SlowdownPredicted)
	}
	for _, f := range rep.Frequencies {
		if f.TimeNS > 0 && int(f.FreqHz/1000) != states(t)[0] {
			t.Errorf("%.0f Hz for %.0f ns", f.FreqHz, f.TimeNS)
		}
	}
	if !strings.Contains(strings.Join(rep.Warnings, "\n"), "more than the budget of 1.0 %") {
		t.Errorf("it does not say so: %s", r.err)
	}
}

// checkSlowdown compares the slowdown that ebb reports, by clock and ebb together, with a
// stopwatch's.
func checkSlowdown(t *testing.T, rep *report, stopwatch float64) {
	t.Helper()
	t.Logf("ebb says: clock %.2f %%, itself %.2f %%, together %.2f %%; displaced %.1f ms, traced "+
		"%.1f ms, an interrupt takes %d ns", 100*rep.SlowdownPredicted, 100*rep.SlowdownOwn,
		100*rep.SlowdownTotal, float64(rep.DisplacedNS)/1e6, float64(rep.TracedNS)/1e6,
		rep.InterruptNS)
	if rep.SlowdownOwn <= 0 || math.Abs(rep.SlowdownTotal-stopwatch) > 0.005 {
		t.Errorf("ebb says %.2f %%, of which %.2f %% is its own; a stopwatch %.2f %%",
			100*rep.SlowdownTotal, 100*rep.SlowdownOwn, 100*stopwatch)
	}
}
