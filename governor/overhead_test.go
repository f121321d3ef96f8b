package governor

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// TestOverheadIsSharedAndScaled: displaced time counts in full, tracing as at the highest frequency
// and as the mean over the running threads. Readings that went back say nothing.
func TestOverheadIsSharedAndScaled(t *testing.T) {
	const ms = time.Millisecond
	var o overhead
	for i, step := range []struct {
		displaced, traced time.Duration // readings
		busy, threadRun   time.Duration
		clock             float64
		want              time.Duration
	}{
		{ms, 0, 5 * ms, 5 * ms, 1, ms},
		{ms, ms, 5 * ms, 5 * ms, 1, ms},
		{ms, 3 * ms, 5 * ms, 5 * ms, 0.5, ms},
		{ms, 7 * ms, 5 * ms, 20 * ms, 1, ms},
		{2 * ms, 15 * ms, 4 * ms, 8 * ms, 0.25, 2 * ms},
		{ms, 0, 5 * ms, 5 * ms, 1, 0},
		{2 * ms, 16 * ms, 0, 0, 1, ms},   // nothing ran
		{2 * ms, 17 * ms, ms, ms, 2, ms}, // a clock above the highest is taken for it
	} {
		o.reading(&Event{Displaced: step.displaced, Traced: step.traced})
		m := Measured{Busy: step.busy, ThreadRun: step.threadRun}
		if got := o.spent(&m, step.clock); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

// TestWithoutItsCost: what ebb cost a quantum is gone from its waits first, then from the time that
// threads ran. Time in which none could run stays.
func TestWithoutItsCost(t *testing.T) {
	const ms = time.Millisecond
	q := func(dur, busy, waited, ran time.Duration) Measured {
		return Measured{Dur: dur, Busy: busy, Waited: waited, ThreadRun: ran}
	}
	for i, c := range []struct {
		cost         cost
		before, want Measured
	}{
		{cost{}, q(20*ms, 18*ms, 2*ms, 18*ms), q(20*ms, 18*ms, 2*ms, 18*ms)},
		{cost{ms, 0}, q(20*ms, 18*ms, 2*ms, 18*ms), q(19*ms, 18*ms, ms, 18*ms)},
		{cost{2 * ms, ms}, q(20*ms, 10*ms, ms, 20*ms), q(17500*time.Microsecond,
			8500*time.Microsecond, 0, 19*ms)},
		{cost{ms, 0}, q(20*ms, 4*ms, 0, 4*ms), q(19*ms, 3*ms, 0, 4*ms)},
		{cost{20 * ms, 9 * ms}, q(10*ms, 4*ms, 0, 4*ms), q(8*ms, 2*ms, 0, 2*ms)},
	} {
		if got := c.cost.without(&c.before); got != c.want {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
}

// TestEbbComputesLikeTheProgram: what ebb draws is known by the program's instructions in cycles
// that follow the clock: here half of the time does, at 2 GHz.
func TestEbbComputesLikeTheProgram(t *testing.T) {
	var c computing
	if got := c.perCycle(); got != instructionsPerCycle {
		t.Errorf("%v before anything ran", got)
	}
	s := predictor.Sample{Time: 10e6, Lo: 4e6, Hi: 6e6}
	c.add(&Measured{Instructions: 20e6}, s, 0.5, 2e9)
	c.add(&Measured{Instructions: 90e6, Hole: true}, s, 0.5, 2e9)
	c.add(&Measured{}, s, 0.5, 2e9)
	if got := c.perCycle(); math.Abs(got-2) > 1e-9 {
		t.Errorf("%v in a cycle, want 2", got)
	}
	if got := waits(predictor.Sample{Frequency: 2e9, Time: 10, Lo: 4, Hi: 6}, 0.5, 4e9); math.Abs(
		got-2.0/3) > 1e-9 {
		t.Errorf("%v of the time at the highest frequency waits, want 2/3", got)
	}
}

// TestCostIsSpreadOverTheTime: the budget pays all that was lost since the quantum before, and of a
// quantum's energy only the part is ebb's that the quantum has of that time.
func TestCostIsSpreadOverTheTime(t *testing.T) {
	const ms = time.Millisecond
	o := overhead{until: 1000}
	for i, step := range []struct {
		start, dur, displaced, traced time.Duration // the readings are sums
		paid                          time.Duration
		last                          cost
		lately                        time.Duration
	}{
		{0, 5 * ms, ms, 0, ms, cost{ms, 0}, ms},
		{5 * ms, 5 * ms, 2 * ms, ms, 2 * ms, cost{ms, ms}, 2 * ms},
		{30 * ms, 5 * ms, 7 * ms, 6 * ms, 10 * ms, cost{ms, ms}, 2 * ms},
		{35 * ms, 40 * ms, 8 * ms, 6 * ms, ms, cost{ms, 0}, 2 * ms},
		{85 * ms, 0, 9 * ms, 6 * ms, ms, cost{ms, 0}, 2 * ms},
		{80 * ms, 5 * ms, 10 * ms, 6 * ms, ms, cost{ms, 0}, 2 * ms},
		{175 * ms, 10 * ms, 30 * ms, 16 * ms, 30 * ms, cost{2 * ms, ms}, 3 * ms},
	} {
		o.reading(&Event{Displaced: step.displaced, Traced: step.traced})
		m := Measured{Start: units.Instant(1000).Add(step.start), Dur: step.dur, Busy: step.dur,
			ThreadRun: step.dur}
		if got := o.lately(&m); got != step.lately {
			t.Errorf("step %d: %v lately, want %v", i, got, step.lately)
		}
		if got := o.spent(&m, 1); got != step.paid || o.last != step.last {
			t.Errorf("step %d: %v paid, %+v in the quantum, want %v and %+v", i, got, o.last,
				step.paid, step.last)
		}
	}
}
