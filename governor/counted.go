package governor

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// cycles is what the counter of cycles says of a quantum's clock.
type cycles struct {
	counted uint64
	due     float64 // cycles of the same time at the clock that was told
	ran     int64   // ns of threads in which they were counted
	changes int     // of the clock
}

// standstill is for how long a core may not run while the clock changes, and counts nothing: ACPI
// tables commonly say 10 us of a transition. Twice that is allowed for.
const standstill = 20 * time.Microsecond

// add enters an epoch of which the machine told base. A row without cycles was not counted.
func (c *cycles) add(e *epochs.Epoch, column int, base units.Frequency) {
	for i := range e.Rows {
		if v := e.Rows[i].Values[column]; v > 0 {
			ran := int64(e.Dur - e.Rows[i].Uncounted)
			c.counted += uint64(v)
			c.due += float64(ran) * float64(base) / 1e9
			c.ran += ran
		}
	}
}

// pace is the counted clock over the one told; 1 where it is not known or differs by no more than
// counts do.
func (t *tally) pace() float64 {
	if !t.isCounted() {
		return 1
	}
	if r := float64(t.cycles.counted) / t.cycles.due; math.Abs(math.Log(r)) > noise {
		return r
	}
	return 1
}

// counted is the mean clock of the quantum's threads in Hz, counted and told; false when too little
// was counted.
func (t *tally) counted() (hz, told float64, ok bool) {
	ran := float64(t.cycles.ran) / 1e9
	return float64(t.cycles.counted) / ran, t.cycles.due / ran, t.isCounted()
}

// unsure is by which part the counted clock may be too low because the cores stood still while it
// changed.
func (t *tally) unsure() float64 {
	return float64(t.cycles.changes) * float64(standstill) / float64(t.Busy)
}

func (t *tally) isCounted() bool {
	return !t.Hole && t.ThreadRun >= t.Dur/4 && t.cycles.ran > int64(t.ThreadRun)/2
}

// named is a counted clock as it is reported: the nearest state, as far as counts tell, or else to
// 10 MHz.
func named(hz float64, states []units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, units.Frequency(hz))
	for _, s := range states[max(i-1, 0):min(i+1, len(states))] {
		if math.Abs(math.Log(hz/float64(s))) <= noise {
			return s
		}
	}
	return units.Frequency(math.Round(hz/1e7) * 1e7)
}
