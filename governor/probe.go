package governor

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

const (
	// probeEvery is after how many quanta below the highest frequency one at it may be put in: it costs a twentieth of
	// what is saved at most.
	probeEvery = 20
	// probeDoubt is how uncertain the slowdown may be without that: 0.3 points.
	probeDoubt = 0.003
)

// probe says whether the coming quantum should run at the highest frequency, only to see what the work takes there. That
// is worth it while it is not known well how slow the chosen frequency is.
func (g *Governor) probe(t *tally, chosen units.Frequency) bool {
	h := &g.hindsight
	if g.cfg.Objective != Slowdown || !h.on || g.cfg.NoProbes || !t.comparable() || h.unproved < probeEvery {
		return false
	}
	_, deviation := h.anchor.Lean()
	return deviation*math.Log(float64(g.highest())/float64(chosen)) > probeDoubt
}
