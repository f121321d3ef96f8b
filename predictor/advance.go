package predictor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// lead is how far a thread's clock was ahead of how far the program had come, ns; mostly it is
// negative. Stopped is the measured time since the thread had stopped, which its clock has not come
// by: what ends its wait will tell by how much.
type lead struct {
	thread         epochs.TID
	ahead, stopped float64
}

// Advance predicts by how much the epochs since the last Reset moved the program on at f, in their
// own time unit. Duration takes them by themselves, all threads beginning together, and ends with
// the latest. Summed over quanta that is too long at any frequency but the one they ran at: who
// falls behind in one may catch up in the next. Here threads begin with what they were ahead or
// behind when Advance was last asked, so that its sum is the duration of the whole. It is for one
// frequency, asked once before each Reset; its parts may be uneven, and below zero.
//
// Only the model "wake" has clocks that go on; of the others it is Duration.
func (p *Predictor) Advance(f units.Frequency) float64 {
	if m, ok := p.model.(*wake); ok {
		return p.sharing(m.advance(&p.work, float64(f)/p.rate, p.alpha))
	}
	return p.Duration(f)
}

func (m *wake) advance(w *work, f, a float64) float64 {
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
		t := w.threads.find(l.thread)
		if t < 0 || int(t) >= len(clock) {
			continue
		}
		clock[t] = l.ahead
		// nothing tells; it may have been ready all the time, and somebody else on its CPU
		if m.threads[t].level {
			clock[t] = min(l.ahead+l.stopped, 0)
		}
	}
	end := m.walk(f, a)
	m.leads = m.leads[:0]
	for t := range clock {
		if th := &m.threads[t]; th.seen && !th.apart {
			// Threads with as much between them would have met before.
			m.leads = append(m.leads, lead{w.threads.ids[t], max(clock[t]-end, -float64(m.now)),
				float64(m.now - th.at)})
		}
	}
	return end
}
