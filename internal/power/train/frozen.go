package train

import (
	"fmt"
	"math"
	"slices"
)

// Bounds of a meter that stands still: it shows one power over so many intervals in a row, while
// the share of busy CPUs ranges over so many percentage points.
const (
	frozenIntervals = 20
	frozenRange     = 20.0
)

// checkFrozen finds a meter that shows the same power whatever the machine does.
func (d *Data) checkFrozen() error {
	busy := slices.Index(d.Inputs, "cpu_busy")
	if busy < 0 {
		return nil
	}
	for i := 0; i < len(d.Intervals); {
		shown := d.Intervals[i].Power
		j, low, high := i, 100.0, 0.0
		for ; j < len(d.Intervals) && same(d.Intervals[j].Power, shown); j++ {
			x := d.Intervals[j].Inputs[busy]
			low, high = min(low, x), max(high, x)
		}
		if j-i >= frozenIntervals && high-low >= frozenRange {
			return fmt.Errorf("%w: it showed %.3g W over %d intervals in which %.0f to %.0f %% of "+
				"the CPUs were busy", errFrozen, shown, j-i, low, high)
		}
		i = max(j, i+1) // NaN equals nothing
	}
	return nil
}

// same reports whether two powers are one, but for rounding.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }
