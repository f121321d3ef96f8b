package governor

import (
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// unprovenReach is the lowest clock, as a part of the highest, at which a table of functions is
// believed before it is proven. A function whose time scales although the table denies it takes 1.7
// times as long there.
const unprovenReach = 0.6

// leastUnproven returns the lowest frequency to choose while a table of functions is unproven; 0
// without such a bound.
func (g *Governor) leastUnproven() units.Frequency {
	if g.sampled == nil || g.cfg.Shadow || g.cfg.Objective != Slowdown ||
		g.sampled.Verdict() != sensitivity.Unproven {
		return 0
	}
	for _, f := range g.cfg.States {
		if float64(f) >= unprovenReach*float64(g.highest()) {
			return f
		}
	}
	return 0
}
