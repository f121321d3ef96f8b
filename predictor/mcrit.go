package predictor

import "github.com/ebb-energy/ebb/epochs"

// mcrit is M+CRIT (DEP+BURST, section 2.3): each thread is taken over its whole life in the work, what it waited
// included, less the non-scaling time it was seen to have while it ran; the thread predicted to take longest is the
// prediction. Waiting counts as scaling: that is the model's flaw, and left as it is, except where no thread of the
// target runs at all.
//
// A thread lives from the beginning of the work, or its start, to its exit, or the work's end. Time of the work that
// the longest life does not cover scales.
type mcrit struct {
	lives []life
	spare []float64 // per thread: what its non-scaling time adds to the prediction
	sofar []float64 // per epoch: predicted time before it if everything scales
}

// life is the half-open range of epochs a thread lived through.
type life struct{ from, to int32 }

const forever = 1<<31 - 1

func (m *mcrit) reset() { m.lives, m.sofar = m.lives[:0], append(m.sofar[:0], 0) }

func (m *mcrit) add(w *work, e int) {
	for len(m.lives) < int(w.threads.n) {
		m.lives = append(m.lives, life{0, forever})
	}
	for len(m.spare) < len(m.lives) {
		m.spare = append(m.spare, 0)
	}
	m.sofar = append(m.sofar, 0)
	s := &w.spans[e]
	for _, x := range w.ends[s.end:s.endEnd] {
		switch {
		case x.thread < 0:
		case x.kind == epochs.EndStart:
			m.lives[x.thread].from = int32(e + 1)
		case x.kind == epochs.EndExit:
			m.lives[x.thread].to = int32(e + 1)
		}
	}
}

func (m *mcrit) duration(w *work, f, a float64) float64 {
	return m.phase(w, f, a, 0, int32(len(w.spans)))
}

// phase predicts the epochs from..to by themselves.
func (m *mcrit) phase(w *work, f, a float64, from, to int32) float64 {
	spare := m.spare[:len(m.lives)]
	clear(spare)
	m.sofar[from] = 0
	for i := from; i < to; i++ {
		s := &w.spans[i]
		r := s.base / f
		if s.row == s.rowEnd {
			m.sofar[i+1] = m.sofar[i] + s.dur
			continue
		}
		m.sofar[i+1] = m.sofar[i] + s.dur*r
		thread := w.thread[s.row:s.rowEnd]
		non := w.non[s.row:s.rowEnd][:len(thread)]
		spread := w.spread[s.row:s.rowEnd][:len(thread)]
		for j, t := range thread {
			spare[t] += (non[j] + a*spread[j]) * (1 - r)
		}
	}
	return m.longest(w, from, to)
}

// longest is the longest predicted life within the phase, and what the longest measured one leaves uncovered of it.
func (m *mcrit) longest(w *work, from, to int32) float64 {
	var best, covered float64
	var measured int64
	for i, l := range m.lives {
		l.from, l.to = max(l.from, from), min(l.to, to)
		if l.from >= l.to {
			continue
		}
		scaled := m.sofar[l.to] - m.sofar[l.from]
		best = max(best, scaled+m.spare[i])
		if d := w.before(l.to) - w.before(l.from); d > measured {
			measured, covered = d, scaled
		}
	}
	return best + m.sofar[to] - covered
}
