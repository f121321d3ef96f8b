package baseline

import (
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// Table is a domain's states, ascending.
type Table []units.Frequency

func (t Table) min() units.Frequency { return t[0] }
func (t Table) max() units.Frequency { return t[len(t)-1] }

// atLeast returns the lowest state at or above f, or the highest (CPUFREQ_RELATION_L).
func (t Table) atLeast(f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(t, f)
	return t[min(i, len(t)-1)]
}

// atMost returns the highest state at or below f, or the lowest (CPUFREQ_RELATION_H).
func (t Table) atMost(f units.Frequency) units.Frequency {
	i, found := slices.BinarySearch(t, f)
	if !found {
		i--
	}
	return t[max(i, 0)]
}

// closest returns the state nearest to f (CPUFREQ_RELATION_C). Of two equally near the kernel's
// sorted tables give the lower one.
func (t Table) closest(f units.Frequency) units.Frequency {
	below, above := t.atMost(f), t.atLeast(f)
	if above-f < f-below || f < below {
		return above
	}
	return below
}

func indexOf(t Table, f units.Frequency) (int, bool) { return slices.BinarySearch(t, f) }
