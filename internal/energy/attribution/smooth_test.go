package attribution

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// TestSmoother: another program has half of a CPU beside the target in windows of 1 ms, and the
// kernel counts both in ticks of 10 ms. Each window gets half a ms, the others none.
func TestSmoother(t *testing.T) {
	var s smoother
	var sum time.Duration
	const windows = 1000
	for i := range windows {
		w := energy.Window{From: units.Instant(i) * units.Instant(ms),
			To:   units.Instant(i+1) * units.Instant(ms),
			Runs: []energy.Run{{Thread: 1, CPU: 3, Frequency: 2e9, Alone: ms / 2}}}
		if i%10 == 9 {
			w.Others = []energy.Other{{CPU: 3, Time: 10 * ms}}
		}
		s.others(&w)
		for _, o := range w.Others {
			if o.CPU != 3 || o.Time > ms || o.Frequency != 2e9 {
				t.Fatalf("window %d: %+v", i, o)
			}
			if i >= 200 && i%10 == 9 && (o.Time < ms*49/100 || o.Time > ms*51/100) {
				t.Fatalf("window %d: %v", i, o.Time)
			}
			sum += o.Time
		}
	}
	if want := windows * ms / 2; sum < want*9/10 || sum > want*11/10 {
		t.Errorf("%v of others' time, not %v", sum, want)
	}
	if n := len(s.past); n != 100 {
		t.Errorf("%d windows are kept", n)
	}
}
