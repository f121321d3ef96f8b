package governor

import (
	"testing"
	"time"
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
