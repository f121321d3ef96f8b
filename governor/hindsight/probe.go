package hindsight

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

const (
	// A quantum at the highest frequency may be put in after latestProbe quanta below it, where it
	// costs a hundredth of what is saved at most, and after earliestProbe of them, a twentieth,
	// where corrected predictions spend much: when as much as stakeBudgets quanta's budgets rest on
	// the correction. What a probe teaches is of use to the rest of the run only: with 20 for all,
	// programs of some hundred quanta saved up to half a point less than without any, and with 100
	// for all one that lives on a large correction overspent a budget of 10 % by 0.9 points.
	earliestProbe, latestProbe = 20, 100
	stakeBudgets               = 10
	// toleratedDeviation is how uncertain the slowdown may be without a probe, as a part of the
	// budget: 0.3 points of 5 %.
	toleratedDeviation = 0.06
	// freeProbes is the number of probes that are made anyway. Further ones follow only where the
	// bias found so far exceeds its deviation: where there is nothing to correct, to know so more
	// precisely is not worth what it costs.
	freeProbes = 2
)

// Probe says whether the coming quantum should run at the highest frequency instead of the chosen
// one, only to see what the work takes there. That is worth it while it is uncertain how slow the
// chosen frequency is, and where the anchor can learn from it. Q is the quantum that the choice was
// made for and P holds its epochs.
func (c *Corrector) Probe(
	q *Quantum, p *predictor.Predictor, chosen, highest units.Frequency, budget units.Slowdown,
) bool {
	if !c.learns || !q.comparable() || q.DRAMReads == 0 || c.sinceHighest < earliestProbe {
		return false
	}
	bias, deviation := c.between(p, float64(chosen), float64(highest))
	if deviation <= toleratedDeviation*float64(budget) ||
		c.probes >= freeProbes && math.Abs(bias) < deviation {
		return false
	}
	correction := math.Abs(believed(bias, deviation, math.Log(float64(highest)/float64(chosen))))
	if c.sinceHighest < latestProbe &&
		float64(c.sinceHighest)*correction < stakeBudgets*float64(budget) {
		return false
	}
	c.probes++
	return true
}
