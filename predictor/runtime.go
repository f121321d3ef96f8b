package predictor

import "github.com/ebb-energy/ebb/units"

// RunTime predicts the running time at f of all threads together, what they waited for each other
// left out. Beside the running time measured there it tells what of a prediction's error comes from
// the threads' own times, and what from how they wait for each other.
func (p *Predictor) RunTime(f units.Frequency) float64 {
	if m, ok := p.model.(*wake); ok {
		return m.runTime(float64(f), p.alpha)
	}
	w := &p.work
	var sum float64
	for i := range w.spans {
		s := &w.spans[i]
		r := s.base / float64(f)
		for j := s.row; j < s.rowEnd; j++ {
			sum += w.scal[j]*r + w.non[j] + p.alpha*(1-r)*w.spread[j]
		}
	}
	return sum
}

func (m *wake) runTime(f, a float64) float64 {
	var sum float64
	for i := range m.steps {
		if s := &m.steps[i]; s.kind == stepRun {
			sum += m.lines[s.arg].at(m.bases[s.n]/f, a)
		}
	}
	for i := range m.threads {
		if t := &m.threads[i]; t.any {
			l := t.open.line(&m.machine)
			sum += l.at(m.bases[t.base]/f, a)
		}
	}
	return sum
}
