package waiting

import "github.com/ebb-energy/ebb/epochs"

// lead is how far a thread's clock was ahead of how far the program had come, ns; mostly it is
// negative. Stopped is the measured time since the thread had stopped, which its clock has not come
// by: what ends its wait will tell by how much.
type lead struct {
	thread         epochs.TID
	ahead, stopped float64
}

// Advance takes the program on from where the work before left it. Duration takes work by itself,
// all threads beginning together, and ends with the latest. Summed over quanta that is too long at
// any frequency but the one they ran at: a thread that falls behind in one may catch up in the
// next. Here threads begin with their lead, so that the sum of advances is the duration of the
// whole. It is for one frequency, asked once before each Reset; its parts may be uneven, and below
// zero.
func (m *Wake) Advance(w *Work, f, a float64) float64 {
	clock, least := m.clocks(), 0.0
	for _, l := range m.leads {
		least = min(least, l.ahead)
	}
	for t := range clock { // a thread of which nothing is known comes later than who wakes it
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
		// nothing says; it may have been ready all the time, and somebody else on its CPU
		if m.threads[t].level {
			clock[t] = min(l.ahead+l.stopped, 0)
		}
	}
	end := m.walk(f, a)
	m.leads = m.leads[:0]
	for t := range clock {
		if th := &m.threads[t]; th.seen && !th.apart {
			// Threads with as much between them would have met before.
			m.leads = append(m.leads, lead{w.Threads.ID(t), max(clock[t]-end, -float64(m.now)),
				float64(m.now - th.at)})
		}
	}
	return end
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
