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

// least distance in frequency at which a prediction is a test of the model and not of the clock
var leastDistance = math.Log(1.1)

// misses keeps what past predictions missed by.
type misses struct {
	ring   [barWindow]float64 // |ln(actual/predicted)| per |ln(base/f)|
	n      int                // of all times
	sorted []float64
	q90    float64
}

func (e *misses) observe(base, f, predicted, actual float64) {
	distance := math.Abs(math.Log(base / f))
	miss := math.Abs(math.Log(actual / predicted))
	if !(distance >= leastDistance) || math.IsInf(distance, 0) || math.IsNaN(miss) ||
		math.IsInf(miss, 0) {
		return
	}
	e.ring[e.n%barWindow] = miss / distance
	e.n++
	e.sorted = append(e.sorted[:0], e.ring[:min(e.n, barWindow)]...)
	// While there are few, the prior counts among them.
	for len(e.sorted) < 8 {
		e.sorted = append(e.sorted, priorError)
	}
	slices.Sort(e.sorted)
	e.q90 = e.sorted[(len(e.sorted)*9-1)/10]
}

// Observe enters how long work took at f in truth that had been predicted to take predicted there,
// from a run at base. The error bars of later predictions follow the misses of the last 64.
func (p *Predictor) Observe(base, f units.Frequency, predicted, actual float64) {
	p.misses.observe(float64(base), float64(f), predicted, actual)
}

// Interval is the error bar of Duration(f): a time that is probably not undercut, and one that is
// probably not exceeded. It is as wide as the estimator's bracket, and the time in which a full
// store queue held the core up and it may have worked is in doubt too. Beyond that it is as wide as
// nine in ten of the past predictions missed by, in proportion to the distance in frequency. At the
// frequency the work ran at it has no width.
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
