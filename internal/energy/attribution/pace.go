package attribution

import "time"

// paceStep is a stage of giving way: samples are Periods of those apart that were asked for, and
// windows are Windows times as long.
type paceStep struct{ Periods, Windows int }

// paceSteps are the stages in the order in which sampling gives way.
var paceSteps = [...]paceStep{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {8, 2}, {8, 4}}

const (
	// little is the part of the budget, 1/little, below which a step is taken back. It is less than
	// half: then samples twice as often cost less than the budget.
	little = 4
	// pause is the time, at the highest frequency, from one step to the next.
	pause = 250 * time.Millisecond
)

// pace decides how often a program's threads are sampled, so that what watching costs keeps within
// the budget.
//
// Where ebb itself has cost the program more than the budget so far, and still does, samples are
// taken half as often, at last an eighth as often; if that is not enough the windows of the ledger
// get longer, two times and four times. (Rests have become longer before that: package
// governor/coalesce.) Where it costs little again both return, step by step. Below the budget
// nothing gives way: most of the cost may be none of sampling's, and a user of methods wants them.
//
// A step says nothing of the program, so samples stay fair: each one represents the period that
// was in force when it was taken.
type pace struct {
	budget float64 // the slowdown that is allowed

	step     int
	all, new cost // so far, and since the last step was possible
}

// cost is what watching a program has cost it in a time that it ran at the highest frequency.
type cost struct{ ran, own time.Duration }

func (c *cost) add(ran, own time.Duration) { c.ran, c.own = c.ran+ran, c.own+own }

// above reports whether the cost is more than a part of the time.
func (c *cost) above(part float64) bool { return float64(c.own) > part*float64(c.ran) }

// next takes a quantum: how long it takes at the highest frequency, and what ebb itself cost the
// program in it. It returns the step for the time to come.
func (p *pace) next(ran, own time.Duration) paceStep {
	p.all.add(ran, own)
	p.new.add(ran, own)
	if p.new.ran >= pause {
		switch {
		case p.all.above(p.budget) && p.new.above(p.budget):
			p.step = min(p.step+1, len(paceSteps)-1)
		case !p.new.above(p.budget / little):
			p.step = max(p.step-1, 0)
		}
		p.new = cost{}
	}
	return paceSteps[p.step]
}
