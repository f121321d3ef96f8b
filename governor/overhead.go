package governor

import (
	"math"
	"time"
)

// overhead is what ebb itself costs the program, by the machine's readings.
//
// Time in which ebb ran in a thread's place counts in full: other threads may have waited for the
// one that was held up. Tracing burdens all threads that run alike, so the program loses the mean
// over those that ran at a time. The cost between two quanta, as with a hold-off, counts with the
// second.
type overhead struct {
	displaced, traced time.Duration // by the newest reading
	// The part of them that quanta have.
	counted, divided time.Duration
}

// reading takes an Overhead event. A reading that went back says nothing.
func (o *overhead) reading(ev *Event) {
	o.displaced, o.traced = max(o.displaced, ev.Displaced), max(o.traced, ev.Traced)
}

// spent is the time lost since the last call, up to the end of quantum m. Its work ran at clock, a
// share of the highest that is delivered, to which the time of tracing is brought.
func (o *overhead) spent(m *Measured, clock float64) time.Duration {
	traced := float64(o.traced-o.divided) * min(clock, 1)
	if m.ThreadRun > m.Busy && m.Busy > 0 {
		traced *= float64(m.Busy) / float64(m.ThreadRun)
	}
	lost := o.displaced - o.counted + time.Duration(math.Round(traced))
	o.counted, o.divided = o.displaced, o.traced
	return lost
}
