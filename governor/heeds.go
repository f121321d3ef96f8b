package governor

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// heeds looks whether the machine did in the quantum what it was asked for. What it tells of a
// slower clock explains that it is slower, and not why: a cap that it shows is a limit, and a write
// that failed is a request that did nothing. While a request is new the clock is held against what
// the machine told, moment by moment.
func (g *Governor) heeds(t *tally) {
	h := &g.heed
	h.again = false
	f, told, ok := t.counted()
	if !ok {
		return
	}
	want := max(told, float64(g.asked))
	if late := t.Start.Add(t.Dur / slowSettle); g.answered == 0 ||
		g.answered.Add(g.cfg.Settle) > late {
		if want = told; g.cfg.Settle > t.Dur/slowSettle {
			return
		}
	}
	if f < want {
		f = min(f*(1+t.unsure()), want)
	}
	known := math.Abs(math.Log(f/told)) < little
	if k := h.look(f, want, g.asked, g.cfg.States, known, g.cfg.Objective == Slowdown); k != 0 {
		g.out = append(g.out, Action{Kind: k, Frequency: named(f, g.cfg.States),
			Told: named(told, g.cfg.States)})
	}
}

// top is the highest frequency to be had: what is known of it, and no less than what the quantum
// ran at.
func (h *heed) top(t *tally, highest units.Frequency) units.Frequency {
	f := h.reach
	if h.stage == asking || h.stage == trying {
		f = h.slow
	}
	if f == 0 {
		f = float64(highest)
	}
	if f = max(f, t.base()); math.Abs(math.Log(f/float64(highest))) < noise {
		return highest
	}
	return units.Frequency(f)
}

// below is by how much something is known to limit the clock, ln.
func (h *heed) below(highest units.Frequency) float64 {
	if h.reach == 0 {
		return 0
	}
	return -math.Log(h.reach / float64(highest))
}

// limited says whether something is known to limit the clock.
func (h *heed) limited(highest units.Frequency) bool { return h.below(highest) > noise }

// lost enters what a clock slower than told has cost in the quantum, while that may be owed, and
// returns what has turned out to be.
func (h *heed) lost(t *tally, v *corrected) (owed float64) {
	unknown := h.stage == asking || h.stage == trying
	switch {
	case t.Hole || t.Busy == 0:
	case unknown || h.stage == agrees && !h.gone && h.limited(v.highest):
		if t.isCounted() {
			h.owed += max(v.at(v.top)-v.at(v.highest), 0)
		}
	default:
		owed, h.owed = h.owed, 0
	}
	return owed
}

// override has the coming quantum run at another state than was decided: to find out about the
// clock, or about predictions.
func (g *Governor) override(d *policy.Decision) {
	h, t := &g.heed, g.closing
	if g.cfg.Objective != Slowdown || t.Hole || t.Busy == 0 {
		return
	}
	switch limited := h.limited(g.highest()); {
	case h.force != 0:
		d.Frequency, d.Chosen, d.Reason = h.force, g.view.Duration(h.force), policy.ReasonClock
	case limited && float64(d.Frequency) > h.reach*(1-noise): // no slower than it, and whether the limit is still there shows
		d.Frequency = g.highest()
	case limited && h.since >= min(h.seen/2, relook):
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonClock
	case g.probe(t, d.Frequency):
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonProbe
	}
}

// beside is a neighbour of the state f: the higher one, which costs no time, where there is one.
func beside(states []units.Frequency, f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, f)
	if i++; i >= len(states) {
		i = max(len(states)-2, 0)
	}
	return states[i]
}
