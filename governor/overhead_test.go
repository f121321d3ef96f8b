package governor

import (
	"testing"
	"time"
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
