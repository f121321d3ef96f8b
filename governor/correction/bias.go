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

// believed returns the part of a bias that is corrected. Waits is the standard deviation of what
// the threads' waits for each other add to it.
func believed(bias, deviation, waits float64) float64 {
	return max(bias, min(bias+certainDeviations*math.Hypot(deviation, waits), 0))
}

// warned returns the part of a bias that is corrected where nobody counts requests to memory. Other
// work then looks like an effect of the clock. So a bias only has less spent, as far as it exceeds
// its standard deviation.
func warned(bias, deviation, _ float64) float64 { return max(bias-deviation, 0) }

// taken returns the part of a bias that is corrected, as believed does.
type taken func(bias, deviation, waits float64) float64

// taken returns the function for a quantum.
func (c *Corrector) taken(q *Quantum) taken {
	if c.byPhase && q.DRAMReads == 0 {
		return warned
	}
	return believed
}

// waits returns the standard deviation of what the waits of a quantum's threads for each other add
// to a bias, per ln of frequency. Threads of which one runs at a time, or a single one, take the
// time that they run: there is no wait to be wrong about.
func (c *Corrector) waits(q *Quantum) float64 {
	if !c.byPhase || q.ThreadRun <= 0 {
		return waitsDeviation
	}
	beside := 1 - float64(q.Busy)/float64(q.ThreadRun) // share of the running time beside others
	return waitsDeviation * min(2*max(beside, 0), 1)
}

// between returns the bias of predictions of work like that of q, in p, from one frequency to
// another, both in Hz, and its standard deviation.
func (c *Corrector) between(q *Quantum, p *predictor.Predictor, from, to float64,
) (bias, deviation float64) {
	change := math.Log(p.Running(units.Frequency(from)) / p.Running(units.Frequency(to)))
	if !c.learns || math.IsNaN(change) || math.IsInf(change, 0) {
		return 0, 0
	}
	return c.biasOf(c.residualOf(q, p), math.Log(to/from), change)
}

// bias returns a Lesson's Bias and Doubt. A bias over a short distance is uncertain, so
// it is the one to the farther end of the range.
func (c *Corrector) bias(q *Quantum, p *predictor.Predictor, r *Range) (corrected, doubt float64) {
	base, low, high := q.Base, float64(r.Lowest), float64(r.Reach)
	bias, deviation := c.between(q, p, base, max(high, base))
	d := math.Log(max(high, base) / base)
	waits := c.waits(q)
	doubt = math.Hypot(deviation, waits*d)
	if base/low > high/base {
		bias, deviation = c.between(q, p, base, low)
		d, bias = math.Log(base/low), -bias
	}
	if d > 0 {
		corrected = c.taken(q)(bias, deviation, waits*d) / d
	}
	return corrected, doubt
}
