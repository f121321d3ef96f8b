package instrumented

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// OrderMarks gives each mark of a list a time that it can have, and sorts the list by time. No mark
// is later than now. One without a time gets the time without, and stays behind the mark before it.
func OrderMarks(list []Mark, without, now units.Instant) {
	for i := range list {
		m := &list[i]
		if m.At <= 0 {
			m.At = without
		}
		m.At = min(m.At, now)
		without = max(without, m.At)
	}
	slices.SortStableFunc(list, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
}
