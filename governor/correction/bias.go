package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

const (
	// waitsDeviation is the standard deviation of what the threads' waits for each other add to a
	// bias, per ln of frequency. The anchor learns from running time. Waits change with it, and the
	// program's own variation hides the error of their prediction. On the simulated programs it is
	// 0.02 to 0.03.
	waitsDeviation = 0.025
	// certainDeviations is the number of standard deviations by which a bias to too much predicted
	// slowdown must exceed zero to be corrected. A slowdown below the prediction is assumed only as
	// far as it is fairly certain, because the budget is a promise.
	certainDeviations = 0.7
)

// believed returns the part of a bias over the distance d (ln of frequency) that is corrected.
func believed(bias, deviation, d float64) float64 {
	return max(bias, min(bias+certainDeviations*math.Hypot(deviation, waitsDeviation*d), 0))
}

// between returns the bias of predictions of work like that in p from one frequency to another,
// both in Hz, and its standard deviation.
func (c *Corrector) between(p *predictor.Predictor, from, to float64) (bias, deviation float64) {
	change := math.Log(p.Running(units.Frequency(from)) / p.Running(units.Frequency(to)))
	if !c.learns || math.IsNaN(change) || math.IsInf(change, 0) {
		return 0, 0
	}
	return c.anchor.bias(math.Log(to/from), change)
}

// bias returns a Lesson's Bias and Doubt. A bias over a short distance is uncertain, so
// it is the one to the farther end of the range.
func (c *Corrector) bias(q *Quantum, p *predictor.Predictor, r *Range) (corrected, doubt float64) {
	base, low, high := q.Base, float64(r.Lowest), float64(r.Reach)
	bias, deviation := c.between(p, base, max(high, base))
	d := math.Log(max(high, base) / base)
	doubt = math.Hypot(deviation, waitsDeviation*d)
	if base/low > high/base {
		bias, deviation = c.between(p, base, low)
		d, bias = math.Log(base/low), -bias
	}
	if d > 0 {
		corrected = believed(bias, deviation, d) / d
	}
	return corrected, doubt
}
