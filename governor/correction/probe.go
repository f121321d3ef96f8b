package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

const (
	// A probe at the highest frequency may follow after latestProbe quanta below, where it costs at
	// most a hundredth of the savings. It may follow after earliestProbe of them, at a twentieth,
	// when as much as stakeBudgets quanta's budgets rest on the correction. Only the rest of the
	// run benefits from a probe: with 20 for all, programs of some hundred quanta saved up to half
	// a point less than without any; with 100 for all, a program with a large correction overspent
	// a budget of 10 % by 0.9 points.
	earliestProbe, latestProbe = 20, 100
	stakeBudgets               = 10
	// toleratedDeviation is the uncertainty of the slowdown that needs no probe, as a part of the
	// budget: 0.3 points of 5 %.
	toleratedDeviation = 0.06
	// freeProbes is the number of probes that are made anyway. Further ones follow only where the
	// bias found so far exceeds its deviation: where there is nothing to correct, more precision is
	// not worth its cost.
	freeProbes = 2
)

// Probe reports whether the coming quantum should run at the highest frequency instead of the
// chosen one, only to see what the work takes there. A probe is worth its cost while the slowdown
// at the chosen frequency is uncertain and the anchor can learn from it. Q is the quantum that the
// choice was made for and P holds its epochs.
func (c *Corrector) Probe(
	q *Quantum, p *predictor.Predictor, chosen, highest units.Frequency, budget units.Slowdown,
) bool {
	if !c.learns || !q.comparable() || q.DRAMReads == 0 && !c.byPhase ||
		c.sinceHighest < earliestProbe {
		return false
	}
	bias, deviation := c.between(q, p, float64(chosen), float64(highest))
	own, probes := c.residualOf(q, p), &c.probes
	if own != nil {
		probes = &own.probes
	}
	if deviation <= toleratedDeviation*float64(budget) ||
		*probes >= freeProbes && math.Abs(bias) < deviation {
		return false
	}
	waits := c.waits(q) * math.Log(float64(highest)/float64(chosen))
	correction := math.Abs(c.taken(q)(bias, deviation, waits))
	if c.sinceHighest < latestProbe &&
		float64(c.sinceHighest)*correction < stakeBudgets*float64(budget) {
		return false
	}
	*probes++
	if c.byPhase { // the clock may take longer than a quantum to get there
		c.probed, c.sinceHighest = true, 0
	}
	return true
}
