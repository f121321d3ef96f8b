package predictor

// perEpoch is DEP with per-epoch critical-thread prediction (DEP+BURST, section 3.3): an epoch takes as long as the
// thread in it that is predicted to run longest, and epochs add up.
type perEpoch struct{}

func (*perEpoch) reset()         {}
func (*perEpoch) add(*work, int) {}

func (*perEpoch) duration(w *work, f, a float64) float64 {
	var total float64
	for i := range w.spans {
		s := &w.spans[i]
		if s.row == s.rowEnd {
			total += s.dur
			continue
		}
		r := s.base / f
		k := a * (1 - r)
		non := w.non[s.row:s.rowEnd]
		scal := w.scal[s.row:s.rowEnd][:len(non)]
		spread := w.spread[s.row:s.rowEnd][:len(non)]
		var longest float64
		for j := range non {
			longest = max(longest, scal[j]*r+non[j]+k*spread[j])
		}
		total += longest
	}
	return total
}
