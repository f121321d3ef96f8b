package qualify

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Thresholds of the runs' checks. A step is believed up to the first of two, and within limits up
// to the second.
const (
	errorBelieve, errorWithin = 5.0, 10.0  // percent, mean of absolute errors
	overBudget                = 0.01       // share by which a slowdown may exceed its budget
	energyBelieve             = 0.03       // share of energy above the best fixed clock's
	energyWithin              = 0.1        // share of energy above the best fixed clock's
	idleBelieve, idleWithin   = 0.02, 0.05 // share that ebb adds to an idle machine's energy
	backBelieve, backWithin   = 1e9, 5e9   // ns until the clocks are back
)

// shortRun is the time below which a run's energy cannot be a failure. On a slow processor ebb's
// own work is a large part of so short a run (docs/decisions/qualify.md).
const shortRun = 3 * time.Second

// defaultModel is ebb's own model in the errors of step 5.
const defaultModel = "wake"

// MeanErrors returns the mean of a model's absolute errors over programs and pairs of clocks, in
// percent, and the worst; NaN for a model without any.
func (p *Predictions) MeanErrors(model string) (mean, worst float64) {
	n := 0
	for _, e := range p.Errors {
		if e.Model == model {
			mean, worst, n = mean+math.Abs(e.Percent), max(worst, math.Abs(e.Percent)), n+1
		}
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	return mean / float64(n), worst
}

func (j *judge) predictions(p *Predictions) {
	mean, worst := p.MeanErrors(defaultModel)
	if math.IsNaN(mean) {
		j.add(StepPredictions, "Does ebb's model predict these programs?", Open, "",
			"no run was predicted from another")
		return
	}
	j.add(StepPredictions, "Does ebb's model predict these programs?",
		at(mean, errorBelieve, errorWithin),
		fmt.Sprintf("mean error %.0f %%; %.0f %%", errorBelieve, errorWithin),
		"mean error %.1f %%, worst %.1f %%", mean, worst)
	if slices.ContainsFunc(p.Runs, func(t Timed) bool { return t.Throttled }) {
		j.add(StepPredictions, "Are the real times of these clocks?", Within, "no run throttled",
			"the hardware held the clock back in some runs: they are marked")
	}
}

func (j *judge) budgets(all []Comparison) {
	for i := range all {
		c := &all[i]
		for k := range c.Rows {
			if c.Rows[k].Budget != nil {
				j.budget(c, &c.Rows[k])
			}
		}
		j.saved(c)
		if c.HeldNS != nil && *c.HeldNS == 0 {
			j.add(StepBudgets, "Does the quota hold the program back?", Open, "",
				"the kernel counted no time in which it did: these rounds show nothing of a quota")
		}
	}
}

func (j *judge) budget(c *Comparison, row *Row) {
	question := fmt.Sprintf("Is a budget of %s kept? (%s, %s)", printable.Percent(*row.Budget),
		c.Program,
		c.Condition)
	if row.Slowdown == nil {
		j.add(StepBudgets, question, Open, "", "no round is complete")
		return
	}
	s := row.Slowdown
	over := s.Estimate - *row.Budget
	a := at(over, overBudget, overBudget)
	switch {
	case a == Not && (s.Lo == nil || *s.Lo <= *row.Budget+overBudget):
		a = Within // the rounds do not show that it is over
	case a == Believe && (s.Hi == nil || *s.Hi > *row.Budget+overBudget):
		a = Within // the rounds are too few to show that it is within
	}
	j.add(StepBudgets, question, a, fmt.Sprintf("up to %.0f point more, with its whole interval",
		100*overBudget), "%s slower%s", printable.SignedPercent(s.Estimate), s.ends())
}

// ends returns an interval's ends, for people.
func (i *Interval) ends() string {
	if i.Lo == nil || i.Hi == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", printable.SignedPercent(*i.Lo),
		printable.SignedPercent(*i.Hi))
}

// shows grades a difference. Where its interval reaches over a threshold the answer is a limit,
// because the rounds do not show it.
func (i *Interval) shows(believe, within float64) Answer {
	a := at(i.Estimate, believe, within)
	switch {
	case a == Not && (i.Lo == nil || *i.Lo <= within):
		return Within
	case a == Believe && (i.Hi == nil || *i.Hi > within):
		return Within
	}
	return a
}

// mild turns a failure into a limit where a setting's run was too short for its energy to be one.
// It returns a clause that says so.
func mild(a Answer, c *Comparison, setting string) (Answer, string) {
	for i := range c.Rows {
		ns := c.Rows[i].WallNS
		if c.Rows[i].Setting == setting && a == Not && ns > 0 && time.Duration(ns) < shortRun {
			return Within, fmt.Sprintf(", in runs of %s: those of %s or longer decide", short(ns),
				printable.Duration(shortRun))
		}
	}
	return a, ""
}

// saved compares ebb's energy with that of the best fixed clock, and with no ebb at all.
func (j *judge) saved(c *Comparison) {
	if c.Condition != Alone {
		return
	}
	for _, v := range c.Against {
		question := fmt.Sprintf("%s: %s against %s", c.Program, v.Of, v.With)
		if v.Energy == nil {
			j.add(StepBudgets, question, Open, "", "the energy is unknown")
			continue
		}
		a := v.Energy.shows(energyBelieve, energyWithin)
		if a == Believe && c.Source != measured {
			a = Within
		}
		a, why := mild(a, c, v.Of)
		j.add(StepBudgets, question, a, printable.Percent(energyBelieve)+" more, measured; "+
			printable.Percent(energyWithin), "energy %s%s, %s%s",
			printable.SignedPercent(v.Energy.Estimate), v.Energy.ends(),
			c.Source, why)
	}
}

// measured is bench's name for the source of metered energy.
const measured = "measured by RAPL"

func (j *judge) idle(c *Comparison) {
	const question = "Does an idle machine draw more under ebb?"
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Budget == nil || row.Energy == nil {
			continue
		}
		a, why := mild(row.Energy.shows(idleBelieve, idleWithin), c, row.Setting)
		j.add(StepIdle, question, a,
			printable.Percent(idleBelieve)+" more; "+printable.Percent(idleWithin),
			"energy %s%s%s", printable.SignedPercent(row.Energy.Estimate), row.Energy.ends(), why)
		return
	}
	j.add(StepIdle, question, Open, "", "the energy is unknown")
}

func (j *judge) killed(k *Killed) {
	const question = "Is everything as it was after kill -9?"
	switch {
	case len(k.Left) > 0:
		j.add(StepKilled, question, Not, "all, within 1 s", "no: %s", list(k.Left))
	case !k.Governing:
		j.add(StepKilled, question, Open, "", "ebb had not set a clock when it was killed")
	default:
		a := at(float64(k.BackNS), backBelieve, backWithin)
		if a == Believe && k.By != "guardian" {
			a = Within
		}
		j.add(StepKilled, question, a, "all, within 1 s, by the guardian; 5 s",
			"yes, after %s, by %s", short(k.BackNS), k.By)
	}
}
