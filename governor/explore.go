package governor

import (
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

const (
	// oneClock is the number of windows at the highest frequency after which a lower one is tried,
	// and lowerWindows the number of windows that it is tried for.
	oneClock, lowerWindows = 8, 3
	// leastExplored is the lowest frequency to try, as a part of the highest.
	leastExplored = 0.85
)

// explore has a run by a table of functions try a lower frequency, where the power model sees no
// saving below the highest but has seen nothing else. Windows at one clock have one sum, and what
// it consists of is a guess: counters would show the instructions, which are reckoned here. The
// program pays with what the account has over.
func (g *Governor) explore(d *policy.Decision) {
	m := &g.meter
	if g.sampled == nil || g.cfg.Shadow || g.cfg.NoLearning || g.cfg.NoProbes ||
		g.sampled.Verdict() == sensitivity.Wrong || d.Reason != policy.ReasonEnergy ||
		d.Frequency != g.highest() || m.fit.Fitted() < oneClock || m.lower >= lowerWindows {
		return
	}
	for _, f := range g.cfg.States {
		if float64(f) < leastExplored*float64(g.highest()) || f == g.highest() {
			continue
		}
		if dur := g.view.Duration(f); dur-d.Max <= d.Slack {
			d.Frequency, d.Chosen, d.Reason = f, dur, policy.ReasonProbe
			return
		}
	}
}

// lowered counts a window that the model has learned from, at a clock below the highest.
func (m *meter) lowered(base float64, highest units.Frequency) {
	if base < 0.99*float64(highest) {
		m.lower++
	}
}
