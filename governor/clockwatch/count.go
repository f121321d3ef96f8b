package clockwatch

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Count sums up the cycle counter's values of a quantum. The zero value is an empty quantum.
type Count struct {
	cycles  uint64
	due     float64 // cycles in the same time at the clock that the machine reported
	ran     int64   // ns of threads in which cycles were counted
	changes int     // number of changes of the reported clock
}

// standstill bounds the time in which a core does not run while the clock changes, and counts
// nothing. ACPI tables commonly state 10 us for a transition; twice that is allowed for.
const standstill = 20 * time.Microsecond

// noise is the distance, ln, by which a counted clock may be off without a meaning: slices begin
// and end a little beside their counts.
const noise = 0.02

// Add enters an epoch for which the machine reported a clock. Column is the cycle counter's. A row
// without cycles was not counted.
func (c *Count) Add(e *epochs.Epoch, column int, reported units.Frequency) {
	for i := range e.Rows {
		if v := e.Rows[i].Values[column]; v > 0 {
			ran := e.Dur - e.Rows[i].Uncounted
			c.cycles += uint64(v)
			c.due += float64(ran) * float64(reported) / 1e9
			c.ran += int64(ran)
		}
	}
}

// Change enters that the reported clock changed in the quantum.
func (c *Count) Change() { c.changes++ }

// Counted is the mean clock of a quantum's threads.
type Counted struct {
	// Known: enough was counted. Without, Ratio is 1 and the other fields are 0.
	Known bool
	// Clock is the counted one and Reported what the machine reported for the same time, Hz.
	Clock, Reported float64
	// Ratio is Clock / Reported, and 1 where they differ by no more than counts do.
	Ratio float64
	// Short is the share by which Clock may be too low because the cores stood still while it
	// changed.
	Short float64
}

// Clock sums up a quantum of the duration dur without holes, in which threads ran for threadRun
// together and at least one for busy.
func (c *Count) Clock(dur, busy, threadRun time.Duration) Counted {
	if threadRun < dur/4 || c.ran <= int64(threadRun)/2 {
		return Counted{Ratio: 1}
	}
	ran := float64(c.ran) / 1e9
	n := Counted{
		Known: true, Clock: float64(c.cycles) / ran, Reported: c.due / ran,
		Ratio: float64(c.cycles) / c.due,
		Short: float64(c.changes) * float64(standstill) / float64(busy),
	}
	if !(math.Abs(math.Log(n.Ratio)) > noise) {
		n.Ratio = 1
	}
	return n
}

// Nearest rounds a counted clock in Hz for reports: to the nearest state if counts cannot
// distinguish the two, otherwise to 10 MHz.
func Nearest(hz float64, states []units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, units.Frequency(hz))
	for _, s := range states[max(i-1, 0):min(i+1, len(states))] {
		if math.Abs(math.Log(hz/float64(s))) <= noise {
			return s
		}
	}
	return units.Frequency(math.Round(hz/1e7) * 1e7)
}
