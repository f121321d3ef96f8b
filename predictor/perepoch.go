package predictor

// perEpoch is DEP with per-epoch critical-thread prediction (DEP+BURST, section 3.3): an epoch
// takes as long as the thread in it that is predicted to run longest, and epochs add up.
//
// All threads of an epoch ran for its whole duration, so the longest at a higher frequency is the
// one with the most non-scaling time, and at a lower one that with the least. Which those are does
// not depend on how much higher or lower: for the usual places in the bracket they are found when
// the epoch is added.
type perEpoch struct {
	extremes []extremes
}

// extremes are the most and the least non-scaling time of an epoch's rows, at the places in
// extremesAt of their brackets.
type extremes struct{ most, least [len(extremesAt)]float64 }

var extremesAt = [...]float64{0, midpoint, 1}

func (m *perEpoch) reset() { m.extremes = m.extremes[:0] }

func (m *perEpoch) add(w *work, e int) {
	s := &w.spans[e]
	var x extremes
	for i, a := range extremesAt {
		x.most[i], x.least[i] = nonScaling(w, s, a)
	}
	m.extremes = append(m.extremes, x)
}

// nonScaling is the most and the least non-scaling time of the rows of s.
func nonScaling(w *work, s *span, a float64) (most, least float64) {
	if s.row == s.rowEnd {
		return s.dur, s.dur // nothing of an idle stretch scales
	}
	non := w.non[s.row:s.rowEnd]
	spread := w.spread[s.row:s.rowEnd][:len(non)]
	least = s.dur
	for i := range non {
		n := non[i] + a*spread[i]
		most, least = max(most, n), min(least, n)
	}
	return most, least
}

func (m *perEpoch) duration(w *work, f, a float64) float64 {
	at := -1
	for i := range extremesAt {
		if a == extremesAt[i] {
			at = i
		}
	}
	var total float64
	for i := range w.spans {
		s := &w.spans[i]
		var most, least float64
		if at >= 0 {
			most, least = m.extremes[i].most[at], m.extremes[i].least[at]
		} else {
			most, least = nonScaling(w, s, a)
		}
		n, r := most, s.base/f
		if r > 1 {
			n = least
		}
		total += (s.dur-n)*r + n
	}
	return total
}
