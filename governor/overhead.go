package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// overhead is ebb's own cost to the program, by the machine's readings.
//
// Time in which ebb ran in a thread's place counts in full: other threads may have waited for the
// one that was held up. Tracing burdens all threads that run alike, so the program loses the mean
// over those that ran at a time. The budget pays the cost between two quanta, as with a hold-off,
// with the second; of energy, which is that of the profiled quanta alone, only a part is theirs.
type overhead struct {
	displaced, traced time.Duration // sums by the newest reading
	// counted and divided are the parts of displaced and traced that quanta have been charged.
	counted, divided time.Duration
	last             cost          // cost in the newest quantum
	until            units.Instant // end of that quantum, or the run's begin
}

// cost is what ebb itself cost the program in a quantum: the CPU time in which it ran in a thread's
// place, and that of tracing within the threads' time, at the clock they ran at.
type cost struct{ displaced, traced time.Duration }

// reading takes an Overhead event. A reading that went back says nothing.
func (o *overhead) reading(ev *Event) {
	o.displaced, o.traced = max(o.displaced, ev.Displaced), max(o.traced, ev.Traced)
}

// spent returns the time lost since the last call, up to the end of quantum m. Its work ran at
// clock, a share of the highest that is delivered, to which the time of tracing is brought.
func (o *overhead) spent(m *Measured, clock float64) time.Duration {
	all := cost{o.displaced - o.counted, o.traced - o.divided}
	o.last = all.times(o.part(m))
	traced := float64(all.traced) * min(clock, 1)
	if m.ThreadRun > m.Busy && m.Busy > 0 {
		traced *= float64(m.Busy) / float64(m.ThreadRun)
	}
	o.counted, o.divided, o.until = o.displaced, o.traced, m.Start.Add(m.Dur)
	return all.displaced + time.Duration(math.Round(traced))
}

// part returns the quantum's share of the time since the one before. Nobody reads the cost where a
// quantum begins behind others that were skipped, so it is taken for even: then the profiled quanta
// stand for all.
func (o *overhead) part(m *Measured) float64 {
	since := m.Start.Add(m.Dur).Sub(o.until)
	if m.Dur <= 0 || since <= m.Dur {
		return 1
	}
	return float64(m.Dur) / float64(since)
}

// lately returns the time for which ebb ran in a thread's place in the closing quantum m and the
// one before, where a reading that came late has it. It is for use before spent.
func (o *overhead) lately(m *Measured) time.Duration {
	now := cost{displaced: o.displaced - o.counted}
	return o.last.displaced + now.times(o.part(m)).displaced
}

// times returns the cost times a share.
func (c cost) times(part float64) cost {
	if part == 1 {
		return c
	}
	return cost{time.Duration(math.Round(float64(c.displaced) * part)),
		time.Duration(math.Round(float64(c.traced) * part))}
}

// without returns the quantum as it would have been without what ebb cost it: the wait for ebb's
// threads is gone from it, and the tracing from the threads' time. Time in which no thread could
// run stays.
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
