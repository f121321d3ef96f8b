package waiting

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// lead is the time by which a thread's clock was ahead of the program's, in ns; mostly it is
// negative. Stopped is the measured time since the thread stopped. Its clock does not include that
// time yet: the event that ends the wait will say how much of it counts.
type lead struct {
	thread         epochs.TID
	ahead, stopped float64
}

// maxTurns bounds how far behind others a thread may be that takes turns with other programs, in
// quanta.
const maxTurns = 200

// Advance continues the program from where the work before left it. Duration takes work by itself:
// all threads begin together, and it ends with the latest. Summed over quanta, durations are too
// long at any frequency but the one they ran at: a thread that falls behind in one quantum may
// catch up in the next. Here threads begin with their lead, so the sum of advances is the duration
// of the whole. Advance serves one frequency and is called once before each Reset; its parts may be
// uneven, and below zero.
func (m *Wake) Advance(w *Work, f, a float64) float64 {
	clock, least := m.clocks(), 0.0
	for _, l := range m.leads {
		least = min(least, l.ahead)
	}
	for t := range clock { // a thread of which nothing is known comes later than its waker
		clock[t] = least
		if m.threads[t].level {
			clock[t] = 0
		}
	}
	for _, l := range m.leads {
		t := w.Threads.Find(l.thread)
		if t < 0 || int(t) >= len(clock) {
			continue
		}
		clock[t] = l.ahead
		// Nothing says what it waited for. It may have been ready all the time, with another thread
		// on its CPU.
		if m.threads[t].level {
			clock[t] = min(l.ahead+l.stopped, 0)
		}
	}
	end := m.walk(f, a)
	// Threads with as much between them would have met before, unless they take turns with other
	// programs: then each has its own quanta.
	bound := float64(m.now)
	if len(m.waits.done) > 0 || m.waits.n > 0 {
		bound *= maxTurns
	}
	m.leads = m.leads[:0]
	for t := range clock {
		th := &m.threads[t]
		stopped := float64(m.now - th.at)
		if th.waits.outside() { // its clock includes the wait so far
			stopped = 0
		} else if !th.seen || th.apart && !m.ready(int32(t)) {
			continue
		}
		m.leads = append(m.leads, lead{th.tid, max(min(clock[t]-end, 0), -bound), stopped})
	}
	return end
}

// ready says whether a thread runs when the work ends, or waits for its turn.
func (m *Wake) ready(t int32) bool {
	return m.threads[t].waits != forNothing || slices.Contains(m.last, t)
}

// RunTime implements Model.
func (m *Wake) RunTime(_ *Work, f, a float64) float64 {
	var sum float64
	for i := range m.steps {
		if s := &m.steps[i]; s.kind == stepRun {
			sum += m.lines[s.arg].At(m.bases[s.n]/f, a)
		}
	}
	for i := range m.threads {
		if t := &m.threads[i]; t.any {
			l := t.open.Line(&m.latencies)
			sum += l.At(m.bases[t.base]/f, a)
		}
	}
	return sum
}
