package clockwatch

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// epoch is one of dur in which threads ran at the clock hz; the cycle counter is the second one.
func epoch(dur time.Duration, threads int, hz float64) *epochs.Epoch {
	e := &epochs.Epoch{Dur: epochs.Ticks(dur)}
	for range threads {
		e.Rows = append(e.Rows, epochs.Row{Values: []int64{0, int64(dur.Seconds() * hz)}})
	}
	return e
}

func TestCountIsTheMeanClock(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		name         string
		epochs       []*epochs.Epoch
		busy, run    time.Duration
		clock, ratio float64
		changes      int
		known        bool
		short        float64
	}{
		{name: "two threads", epochs: []*epochs.Epoch{epoch(10*ms, 2, 3e9)}, busy: 10 * ms,
			run: 20 * ms, clock: 3e9, ratio: 0.75, known: true},
		{name: "within noise", epochs: []*epochs.Epoch{epoch(10*ms, 1, 3.95e9)}, busy: 10 * ms,
			run: 10 * ms, clock: 3.95e9, ratio: 1, known: true},
		{name: "half at each", epochs: []*epochs.Epoch{epoch(5*ms, 1, 2e9), epoch(5*ms, 1, 4e9)},
			busy: 10 * ms, run: 10 * ms, clock: 3e9, ratio: 0.75, known: true, changes: 2,
			short: 0.004},
		{name: "not counted", epochs: []*epochs.Epoch{epoch(10*ms, 1, 0)}, busy: 10 * ms,
			run: 10 * ms, ratio: 1},
		{name: "mostly idle", epochs: []*epochs.Epoch{epoch(2*ms, 1, 3e9)}, busy: 2 * ms,
			run: 2 * ms, ratio: 1},
		{name: "mostly uncounted", epochs: []*epochs.Epoch{epoch(4*ms, 1, 3e9), epoch(6*ms, 1, 0)},
			busy: 10 * ms, run: 10 * ms, ratio: 1},
	} {
		var c Count
		for _, e := range tc.epochs {
			c.Add(e, 1, 4e9)
		}
		for range tc.changes {
			c.Change()
		}
		got := c.Clock(10*ms, tc.busy, tc.run)
		if got.Known != tc.known || math.Abs(got.Clock-tc.clock) > 1 ||
			math.Abs(got.Ratio-tc.ratio) > 1e-9 || math.Abs(got.Short-tc.short) > 1e-9 {
			t.Errorf("%s: %+v", tc.name, got)
		}
		if tc.known && math.Abs(got.Reported-4e9) > 1 {
			t.Errorf("%s: %v was reported", tc.name, got.Reported)
		}
	}
}

func TestNearestStateIfCountsCannotDistinguish(t *testing.T) {
	states := []units.Frequency{1e9, 2e9, 4e9}
	for hz, want := range map[float64]units.Frequency{
		1.99e9: 2e9, 2.01e9: 2e9, 2.104e9: 2.1e9, 0.5e9: 0.5e9, 4.01e9: 4e9, 4.5e9: 4.5e9,
	} {
		if got := Nearest(hz, states); got != want {
			t.Errorf("%v Hz is reported as %v, want %v", hz, got, want)
		}
	}
}
