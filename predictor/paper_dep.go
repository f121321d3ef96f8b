package predictor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// paperAcross is DEP with across-epoch critical-thread prediction, Algorithm 1 of DEP+BURST as
// printed.
//
// The algorithm keeps a delta per thread: the time by which it ran ahead of the critical one.
// Written with C, the predicted time so far, and clock = C - delta, the thread's own predicted
// time, its steps become
//
//	clock += alpha          for each active thread
//	C      = largest clock  of the active threads
//
// and the delta that is reset when a thread sleeps becomes clock = C when it next runs. A thread
// that is absent without having slept (it was preempted) keeps its delta. C can go back, an epoch
// of negative length, when the only active thread has a large delta; the printed algorithm has this
// property.
//
// All steps but one are sums and maxima of times that fall with frequency, so that the prediction
// does too; the one is the delta kept over a preemption, a difference. Where threads are preempted
// a higher frequency can be predicted slower by this model.
type paperAcross struct {
	joins  []join
	perRun []int32 // per epoch: number of joins before its rows
	seen   []lastSeen

	clock []float64
	at    []float64 // per epoch: C after it
}

// join is a thread that takes part in an epoch but did not take part in the one before it, or slept
// in between.
type join struct {
	thread int32
	last   int32 // the epoch whose delta it kept; -1: none
}

type lastSeen struct {
	epoch int32 // last epoch in which the thread was active; -1: none
	slept bool
}

// Reset implements waiting.Model.
func (m *paperAcross) Reset() {
	m.joins, m.perRun, m.seen, m.at = m.joins[:0], m.perRun[:0], m.seen[:0], m.at[:0]
}

// Add implements waiting.Model.
func (m *paperAcross) Add(w *waiting.Work, e int) {
	for len(m.seen) < int(w.Threads.Len()) {
		m.seen = append(m.seen, lastSeen{epoch: -1})
	}
	s := &w.Spans[e]
	for _, t := range w.Thread[s.Row:s.RowEnd] {
		l := &m.seen[t]
		if l.slept || l.epoch < 0 {
			m.joins = append(m.joins, join{t, -1})
		} else if l.epoch != int32(e-1) {
			m.joins = append(m.joins, join{t, l.epoch})
		}
		l.epoch, l.slept = int32(e), false
	}
	for _, x := range w.Ends[s.End:s.EndEnd] {
		if x.Thread >= 0 && (x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep) {
			m.seen[x.Thread].slept = true
		}
	}
	m.perRun = append(m.perRun, int32(len(m.joins)))
	m.at = append(m.at, 0)
	for len(m.clock) < len(m.seen) {
		m.clock = append(m.clock, 0)
	}
}

// Duration implements waiting.Model.
func (m *paperAcross) Duration(w *waiting.Work, f, a float64) float64 {
	clock, at := m.clock, m.at
	var c float64
	var j int32
	for i := range w.Spans {
		s := &w.Spans[i]
		for ; j < m.perRun[i]; j++ {
			if x := m.joins[j]; x.last < 0 {
				clock[x.thread] = c
			} else {
				clock[x.thread] += c - at[x.last]
			}
		}
		if s.Row == s.RowEnd {
			c += s.Dur
		} else {
			c = advance(w, s, clock, s.Base/f, a)
		}
		at[i] = c
	}
	return c
}

// advance moves the clocks of an epoch's threads on by their predicted times and returns the
// largest.
func advance(w *waiting.Work, s *waiting.Span, clock []float64, r, a float64) float64 {
	k := a * (1 - r)
	thread := w.Thread[s.Row:s.RowEnd]
	scal := w.Scaling[s.Row:s.RowEnd][:len(thread)]
	non := w.NonScaling[s.Row:s.RowEnd][:len(thread)]
	spread := w.Spread[s.Row:s.RowEnd][:len(thread)]
	first := true
	var c float64
	for i, t := range thread {
		x := clock[t] + (scal[i]*r + non[i] + k*spread[i])
		clock[t] = x
		if first || x > c {
			c, first = x, false
		}
	}
	return c
}

// Mark implements waiting.Model: the model has no phases.
func (m *paperAcross) Mark(*waiting.Work) {}

// RunTime implements waiting.Model.
func (m *paperAcross) RunTime(w *waiting.Work, f, a float64) float64 { return w.RunTime(f, a) }
