package governor

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

const (
	// A quantum at the highest frequency may be put in after probeLatest quanta below it, where it
	// costs a hundredth of what is saved at most, and after probeEvery of them, a twentieth, where
	// corrected predictions spend much: when as much as the budgets of probeStake quanta rest on
	// the correction. What a probe teaches is of use to the rest of the run only: with 20 for all,
	// programs of some hundred quanta saved up to half a point less than without any, and with 100
	// for all one that lives on a large correction overspent a budget of 10 % by 0.9 points.
	probeEvery, probeLatest = 20, 100
	probeStake              = 10
	// probeDoubt is how uncertain the slowdown may be without that, as a part of the budget: 0.3
	// points of 5 %.
	probeDoubt = 0.06
	// firstProbes is how many are made anyway. Further ones only where the lean found so far
	// exceeds its deviation: where there is nothing to correct, to know so more precisely is not
	// worth what it costs.
	firstProbes = 2
)

// probe says whether the coming quantum should run at the highest frequency, only to see what the
// work takes there. That is worth it while it is not known well how slow the chosen frequency is,
// and where the anchor can learn from it.
func (g *Governor) probe(t *tally, chosen units.Frequency) bool {
	h := &g.hindsight
	if g.cfg.Objective != Slowdown || !h.on || g.cfg.NoProbes || !t.comparable() ||
		t.DRAMReads == 0 || h.unproved < probeEvery {
		return false
	}
	lean, deviation := h.leans(g.predictor, float64(chosen), float64(g.highest()))
	if deviation <= probeDoubt*float64(g.cfg.Slowdown) ||
		h.probes >= firstProbes && math.Abs(lean) < deviation {
		return false
	}
	correction := math.Abs(believed(lean, deviation,
		math.Log(float64(g.highest())/float64(chosen))))
	if h.unproved < probeLatest &&
		float64(h.unproved)*correction < probeStake*float64(g.cfg.Slowdown) {
		return false
	}
	h.probes++
	return true
}
