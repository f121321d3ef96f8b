package predictor

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// barWindow is the number of past predictions that the error bar covers.
const barWindow = 64

// priorError is the error bar before any prediction could be compared: relative error per factor e
// of frequency. Of the predictions over a factor of four on recorded programs nine in ten were
// within 7 %.
const priorError = 0.05

// leastDistance is the least distance in frequency, ln, at which a prediction tests the model and
// not the clock.
var leastDistance = math.Log(1.1)

// misses keeps the errors of past predictions.
type misses struct {
	ring   [barWindow]float64 // |ln(actual/predicted)| per |ln(base/f)|
	n      int                // number of misses so far, those beyond the ring included
	sorted []float64
	q90    float64
}

func (m *misses) observe(base, f, predicted, actual float64) {
	distance := math.Abs(math.Log(base / f))
	miss := math.Abs(math.Log(actual / predicted))
	if !(distance >= leastDistance) || math.IsInf(distance, 0) || math.IsNaN(miss) ||
		math.IsInf(miss, 0) {
		return
	}
	m.ring[m.n%barWindow] = miss / distance
	m.n++
	m.sorted = append(m.sorted[:0], m.ring[:min(m.n, barWindow)]...)
	// While there are few, the prior counts among them.
	for len(m.sorted) < 8 {
		m.sorted = append(m.sorted, priorError)
	}
	slices.Sort(m.sorted)
	m.q90 = m.sorted[(len(m.sorted)*9-1)/10]
}

// Observe enters that work took actual at f, where it had been predicted, from a run at base, to
// take predicted. The error bars of later predictions follow the misses of the last 64.
func (p *Predictor) Observe(base, f units.Frequency, predicted, actual float64) {
	p.misses.observe(float64(base), float64(f), predicted, actual)
}

// Interval returns the error bar of Duration(f): a time that is probably not undercut, and one that
// is probably not exceeded. It is as wide as the estimator's bracket, and the time in which a full
// store queue held the core up and it may have worked is in doubt too. Beyond that it has the width
// by which nine in ten of the past predictions missed at most, in proportion to the distance in
// frequency. At the frequency the work ran at it has no width.
func (p *Predictor) Interval(f units.Frequency) (lo, hi float64) {
	least := 0.0
	if p.cfg.Model == Wake {
		least = nonscaling.HiddenWork
	}
	lo, hi = p.durationAt(f, least), p.durationAt(f, 1)
	if lo > hi {
		lo, hi = hi, lo
	}
	q := priorError
	if p.misses.n > 0 {
		q = p.misses.q90
	}
	// The work may have run at several frequencies; the farthest counts.
	distance := 0.0
	for i := range p.work.Spans {
		if b := p.work.Spans[i].Base; i == 0 || b != p.work.Spans[i-1].Base {
			distance = max(distance, math.Abs(math.Log(b*p.rate/float64(f))))
		}
	}
	return lo * math.Exp(-q*distance), hi * math.Exp(q*distance)
}
