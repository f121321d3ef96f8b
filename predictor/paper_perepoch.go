package predictor

import (
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// paperPerEpoch is DEP with per-epoch critical-thread prediction (DEP+BURST, section 3.3): an epoch
// takes as long as the thread in it that is predicted to run longest, and epochs add up.
//
// All threads of an epoch ran for its whole duration, so the longest at a higher frequency is the
// one with the most non-scaling time, and at a lower one that with the least. Which those are does
// not depend on how much higher or lower: for the usual places in the bracket they are found when
// the epoch is added.
type paperPerEpoch struct {
	extremes []extremes
}

// extremes are the most and the least non-scaling time of an epoch's rows, at the places in
// extremesAt of their brackets.
type extremes struct{ most, least [len(extremesAt)]float64 }

var extremesAt = [...]float64{0, nonscaling.Midpoint, 1}

// Reset implements waiting.Model.
func (m *paperPerEpoch) Reset() { m.extremes = m.extremes[:0] }

// Add implements waiting.Model.
func (m *paperPerEpoch) Add(w *waiting.Work, e int) {
	s := &w.Spans[e]
	var x extremes
	for i, a := range extremesAt {
		x.most[i], x.least[i] = nonScaling(w, s, a)
	}
	m.extremes = append(m.extremes, x)
}

// nonScaling returns the most and the least non-scaling time of the rows of s.
func nonScaling(w *waiting.Work, s *waiting.Span, a float64) (most, least float64) {
	if s.Row == s.RowEnd {
		return s.Dur, s.Dur // nothing of an idle stretch scales
	}
	non := w.NonScaling[s.Row:s.RowEnd]
	spread := w.Spread[s.Row:s.RowEnd][:len(non)]
	least = s.Dur
	for i := range non {
		n := non[i] + a*spread[i]
		most, least = max(most, n), min(least, n)
	}
	return most, least
}

// Duration implements waiting.Model.
func (m *paperPerEpoch) Duration(w *waiting.Work, f, a float64) float64 {
	at := -1
	for i := range extremesAt {
		if a == extremesAt[i] {
			at = i
		}
	}
	var total float64
	for i := range w.Spans {
		s := &w.Spans[i]
		var most, least float64
		if at >= 0 {
			most, least = m.extremes[i].most[at], m.extremes[i].least[at]
		} else {
			most, least = nonScaling(w, s, a)
		}
		n, r := most, s.Base/f
		if r > 1 {
			n = least
		}
		total += (s.Dur-n)*r + n
	}
	return total
}

// Mark implements waiting.Model: the model has no phases.
func (m *paperPerEpoch) Mark(*waiting.Work) {}

// RunTime implements waiting.Model.
func (m *paperPerEpoch) RunTime(w *waiting.Work, f, a float64) float64 { return w.RunTime(f, a) }
