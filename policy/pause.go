package policy

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// maxPause is the longest pause of the target over which a frequency is kept.
//
// After a short sleep a program mostly does what it did before. To go up and down for each sleep
// would lose the savings in programs that work in bursts. After a long sleep it may do something
// new, and that first quantum must not be slow because of earlier work. A quantum at the highest
// frequency after each 100 ms of idleness costs little beside them.
const maxPause = 100 * time.Millisecond

// pause decides after quanta that say nothing of the program, because nothing ran in them or they
// have holes.
type pause struct {
	states  states
	kept    units.Frequency // state to stay at through a short pause
	busyEnd units.Instant   // end of the last quantum in which something ran; 0 before started
	started bool            // something has run
}

// newPause returns the pause of a target that has not run yet.
func newPause(s states) pause { return pause{states: s, kept: s.Highest()} }

// Ran notes that something ran in q and that f was decided.
func (p *pause) Ran(q *Quantum, f units.Frequency) {
	p.started, p.busyEnd, p.kept = true, q.Start.Add(q.Dur), f
}

// Longest returns the predicted duration at the highest frequency, ns. After a quantum that says
// nothing of the program, ok is false, d is the decision, and q has been noted.
func (p *pause) Longest(
	q *Quantum, pred Predictions,
) (longest float64, d Decision, ok bool) {
	if !q.Hole && q.Busy <= 0 {
		return 0, p.idle(q), false
	}
	if q.Hole || q.Dur <= 0 {
		return 0, p.hole(q, pred.Duration(p.states.Highest())), false
	}
	if longest = pred.Duration(p.states.Highest()); !usable(longest) {
		return 0, p.hole(q, 0), false
	}
	return longest, Decision{}, true
}

// Waits returns the decision after a quantum in which nothing ran but a thread could, and false
// after any other. The frequency stays: it is that of the work before and of that to come. The
// quantum counts in a budget's account, as the wait may be due to the frequency that the work had.
func (p *pause) Waits(q *Quantum, pred Predictions) (d Decision, ok bool) {
	if q.Hole || q.Busy > 0 || q.Waited <= 0 || !p.started {
		return d, false
	}
	d = Decision{Frequency: p.kept, Reason: ReasonWaiting,
		Max: pred.Duration(p.states.Highest()), Chosen: pred.Duration(p.kept)}
	if !usable(d.Max) || !usable(d.Chosen) {
		return d, false
	}
	p.Ran(q, p.kept)
	return d, true
}

// idle returns the decision after a quantum in which nothing ran. Time asleep is the same at every
// frequency, so it needs no prediction.
func (p *pause) idle(q *Quantum) Decision {
	if !p.started || q.Start.Add(q.Dur).Sub(p.busyEnd) > maxPause {
		p.kept = p.states.Highest()
	}
	return asleep(q, p.kept, p.started)
}

// asleep returns the decision for f after a quantum in which nothing ran. started says that
// something ran before it.
func asleep(q *Quantum, f units.Frequency, started bool) Decision {
	d := Decision{Frequency: f, Reason: ReasonIdle,
		Max: float64(q.Dur), Chosen: float64(q.Dur)}
	if !started {
		d.Reason = ReasonStart
	}
	return d
}

// hole returns the decision after a quantum with holes, or without a usable prediction; longest is
// the predicted duration at the highest frequency, 0 where there is none.
func (p *pause) hole(q *Quantum, longest float64) Decision {
	f := p.states.Highest()
	p.Ran(q, f)
	return Decision{Frequency: f, Reason: ReasonHole, Max: longest, Chosen: longest}
}
