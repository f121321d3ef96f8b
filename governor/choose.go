package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor/clockwatch"
	"github.com/ebb-energy/ebb/governor/correction"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Choice is the decision for the time after a quantum.
type Choice struct {
	// Max and ChosenDur are the predicted durations of the quantum's work at the highest frequency
	// and at Chosen, in ns.
	Max       float64
	Chosen    units.Frequency
	ChosenDur float64
	Slack     time.Duration // excess time carried on (DEP+BURST, equation 1)
	Reason    policy.Reason
	Rules     int // number of quanta for which the decision holds: the hold-off
}

// choose asks the policy for a decision. A doubt about the clock, a probe or the target's end may
// override it.
func (g *Governor) choose(q *policy.Quantum, w *correction.Quantum) policy.Decision {
	d := g.policy.Decide(*q, &g.view)
	if g.cfg.Objective == Slowdown && !q.Hole && q.Busy > 0 {
		g.explore(&d)
		g.override(&d, w)
	}
	if !q.Hole && q.Busy > 0 && d.Frequency < g.highest() {
		g.meterOverride(&d)
	}
	if least := g.leastUnproven(); d.Frequency < least && !q.Hole && q.Busy > 0 {
		d.Frequency = least
		d.Chosen = g.view.Duration(least)
	}
	if g.ending {
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonEnding
	}
	return d
}

// override has the coming quantum run at another state than decided, to find out about the clock or
// about predictions.
func (g *Governor) override(d *policy.Decision, w *correction.Quantum) {
	switch f, why := g.watch.Override(d.Frequency); {
	case why == clockwatch.Trial:
		d.Frequency, d.Chosen, d.Reason = f, g.view.Duration(f), policy.ReasonClock
	case why == clockwatch.Unlimited:
		d.Frequency = f
	case why == clockwatch.Check:
		d.Frequency, d.Chosen, d.Reason = f, d.Max, policy.ReasonClock
	case g.sampled != nil && !g.cfg.Shadow && g.sampled.Trial():
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonProbe
	case !g.cfg.NoProbes &&
		g.corrector.Probe(w, g.predictor, d.Frequency, g.highest(), g.cfg.Slowdown):
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonProbe
	}
}

// meterOverride has the coming quantum run at the highest frequency, to meter it, or because the
// meter has shown that lower ones cost energy.
func (g *Governor) meterOverride(d *policy.Decision) {
	why := policy.ReasonEnergy
	switch {
	case g.saving.Stays(&g.meter.fit):
	case g.saving.Probe():
		why = policy.ReasonProbe
	default:
		return
	}
	d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, why
}

// choice returns a decision as it is reported.
func (g *Governor) choice(d *policy.Decision) Choice {
	c := Choice{Max: d.Max, Chosen: d.Frequency, ChosenDur: d.Chosen,
		Slack: time.Duration(math.Round(d.Slack)), Reason: d.Reason, Rules: g.cfg.HoldOff}
	if c.Max == 0 { // the policy did not ask
		c.Max = g.view.Duration(g.highest())
	}
	return c
}
