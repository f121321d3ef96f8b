package predictor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// paperMCrit is M+CRIT (DEP+BURST, section 2.3): each thread is taken over its whole life in the
// work, waits included, less the non-scaling time measured while it ran; the longest predicted
// thread is the prediction. Waiting counts as scaling: that is the model's flaw, which remains
// here, except where no thread of the target runs at all.
//
// A thread that ran nowhere in the work is left out: it would count as waiting all the time, and
// scale wholly. A thread lives from the beginning of the work, or its start, to its exit, or the
// work's end. Time of the work that the longest life does not cover scales.
type paperMCrit struct {
	lives  []life
	open   []share // per thread: share added since its last entry in shares
	shares []share // complete ones, of one thread at one frequency in one phase
	spare  []float64
	ran    []bool    // by thread: it ran in the phase; kept for its room, as spare
	sofar  []float64 // per epoch: predicted time before it if everything scales
}

// life is the half-open range of epochs a thread lived through.
type life struct{ from, to int32 }

// share is non-scaling time of a thread while the frequency was base.
type share struct {
	thread      int32
	non, spread float64
	base        float64
}

const forever = 1<<31 - 1

// Reset implements waiting.Model.
func (m *paperMCrit) Reset() {
	m.lives, m.open, m.shares = m.lives[:0], m.open[:0], m.shares[:0]
	m.sofar = append(m.sofar[:0], 0)
}

// Add implements waiting.Model.
func (m *paperMCrit) Add(w *waiting.Work, e int) {
	for len(m.lives) < int(w.Threads.Len()) {
		m.open = append(m.open, share{thread: int32(len(m.lives))})
		m.lives = append(m.lives, life{0, forever})
	}
	for len(m.spare) < len(m.lives) {
		m.spare, m.ran = append(m.spare, 0), append(m.ran, false)
	}
	m.sofar = append(m.sofar, 0)
	s := &w.Spans[e]
	for i := s.Row; i < s.RowEnd; i++ {
		o := &m.open[w.Thread[i]]
		if o.base != s.Base {
			m.close(o, s.Base)
		}
		o.non += w.NonScaling[i]
		o.spread += w.Spread[i]
	}
	for _, x := range w.Ends[s.End:s.EndEnd] {
		switch {
		case x.Thread < 0:
		case x.Kind == epochs.EndStart:
			m.lives[x.Thread].from = int32(e + 1)
		case x.Kind == epochs.EndExit:
			m.lives[x.Thread].to = int32(e + 1)
		}
	}
}

// close appends a thread's open share to the shares and begins a new one.
func (m *paperMCrit) close(o *share, base float64) {
	if o.base > 0 {
		m.shares = append(m.shares, *o)
	}
	o.non, o.spread, o.base = 0, 0, base
}

// closeAll ends a phase and returns the number of shares up to here.
func (m *paperMCrit) closeAll() int32 {
	for i := range m.open {
		m.close(&m.open[i], 0)
	}
	return int32(len(m.shares))
}

// Duration implements waiting.Model.
func (m *paperMCrit) Duration(w *waiting.Work, f, a float64) float64 {
	return m.phase(w, f, a, 0, int32(len(w.Spans)), m.shares, m.open)
}

// phase predicts the epochs from..to by themselves, from the shares that the threads had in them.
func (m *paperMCrit) phase(w *waiting.Work, f, a float64, from, to int32,
	shares ...[]share) float64 {
	spare := m.spare[:len(m.lives)]
	ran := m.ran[:len(m.lives)]
	clear(spare)
	clear(ran)
	for _, list := range shares {
		for i := range list {
			if x := &list[i]; x.base > 0 {
				spare[x.thread] += (x.non + a*x.spread) * (1 - x.base/f)
				ran[x.thread] = true
			}
		}
	}
	m.sofar[from] = 0
	for i := from; i < to; i++ {
		s := &w.Spans[i]
		d := s.Dur
		if s.Row != s.RowEnd {
			d *= s.Base / f
		}
		m.sofar[i+1] = m.sofar[i] + d
	}
	return m.longest(w, from, to)
}

// longest returns the longest predicted life within the phase, plus the predicted time of the phase
// that the longest measured life leaves uncovered.
func (m *paperMCrit) longest(w *waiting.Work, from, to int32) float64 {
	var best, covered float64
	var measured int64
	for i, l := range m.lives {
		l.from, l.to = max(l.from, from), min(l.to, to)
		if l.from >= l.to || !m.ran[i] {
			continue
		}
		scaled := m.sofar[l.to] - m.sofar[l.from]
		best = max(best, scaled+m.spare[i])
		if d := w.Before(l.to) - w.Before(l.from); d > measured {
			measured, covered = d, scaled
		}
	}
	return best + m.sofar[to] - covered
}

// Mark implements waiting.Model: the model has no phases.
func (m *paperMCrit) Mark(*waiting.Work) {}

// RunTime implements waiting.Model.
func (m *paperMCrit) RunTime(w *waiting.Work, f, a float64) float64 { return w.RunTime(f, a) }
