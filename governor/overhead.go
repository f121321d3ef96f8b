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
	last             cost // of the newest quantum
}

// cost is what ebb itself cost the program in a quantum: the CPU time in which it ran in a thread's
// place, and that of tracing within the threads' time, at the clock they ran at.
type cost struct{ displaced, traced time.Duration }

// reading takes an Overhead event. A reading that went back says nothing.
func (o *overhead) reading(ev *Event) {
	o.displaced, o.traced = max(o.displaced, ev.Displaced), max(o.traced, ev.Traced)
}

// spent is the time lost since the last call, up to the end of quantum m. Its work ran at clock, a
// share of the highest that is delivered, to which the time of tracing is brought.
func (o *overhead) spent(m *Measured, clock float64) time.Duration {
	o.last = cost{o.displaced - o.counted, o.traced - o.divided}
	traced := float64(o.last.traced) * min(clock, 1)
	if m.ThreadRun > m.Busy && m.Busy > 0 {
		traced *= float64(m.Busy) / float64(m.ThreadRun)
	}
	o.counted, o.divided = o.displaced, o.traced
	return o.last.displaced + time.Duration(math.Round(traced))
}

// lately is the time for which ebb ran in a thread's place in the closing quantum and the one
// before, where a reading that came late has it. It is for use before spent.
func (o *overhead) lately() time.Duration {
	return o.last.displaced + o.displaced - o.counted
}

// without is the quantum as it would have been without what ebb cost it: the wait for ebb's threads
// is gone from it, and the tracing from the threads' time. Time in which no thread could run stays.
func (c cost) without(m *Measured) Measured {
	w := *m
	waited := min(c.displaced, m.Waited)
	busy := c.displaced - waited // other threads ran meanwhile, on other CPUs
	if m.ThreadRun > 0 {
		busy += time.Duration(math.Round(float64(c.traced) * float64(m.Busy) /
			float64(m.ThreadRun)))
	}
	busy = min(busy, m.Busy/2) // a reading belongs to the quantum roughly
	w.Waited -= waited
	w.Busy -= busy
	w.ThreadRun -= min(c.traced, m.ThreadRun/2)
	w.Dur -= waited + busy
	return w
}
