package policy

import "fmt"

// Printed is the paper's energy manager (DEP+BURST, section 6.1) to compare with: open loop, it
// reckons with the predictions for the quantum that was observed and never looks at what the coming
// quanta took.
//
// The state is the lowest whose predicted duration is at most
//
//	T_desired = T(highest) * (1 + s) + excess / h
//	excess'   = excess + (T(highest) * (1 + s) - T(state)) * h
//
// which is equation 1 with what was carried in as a part of the time to be achieved. Read as if it
// were not, an excess would be forgotten one decision later, and on a machine with coarse steps
// that runs compute-bound work nothing could ever be saved up for the next state: the paper's
// figure 10 shows that it is. Without excess time (open) it stays 0.
type Printed struct {
	pause
	slowdown, holdOff float64
	open              bool
	last              int
	excess            float64 // ns
}

// NewPrinted makes the policy; open leaves the excess time out. Of the configuration, budget,
// states and hold-off matter.
func NewPrinted(c BudgetConfig, open bool) (*Printed, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := CheckSlowdown(c.Slowdown); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return &Printed{
		pause: pause{states: s, current: s.highest()}, slowdown: float64(c.Slowdown), holdOff: float64(max(c.HoldOff, 1)), open: open, last: len(s) - 1,
	}, nil
}

// Decide implements Policy.
func (b *Printed) Decide(q Quantum, p Predicted) Decision {
	if !q.Hole && q.Busy <= 0 {
		return b.pause.decide(&q)
	}
	if q.Hole || q.Dur <= 0 {
		return b.hole(&q, p)
	}
	longest := p.Duration(b.states.highest())
	if !usable(longest) {
		b.ran(&q, b.states.highest())
		return Decision{Frequency: b.states.highest(), Reason: ReasonHole}
	}
	desired := float64(longest * (1 + b.slowdown))
	carried := b.excess
	i, t := lowest(b.states, p, longest, desired+b.excess/b.holdOff, b.last)
	b.last = i
	if !b.open {
		b.excess += float64((desired - t) * b.holdOff)
	}
	b.ran(&q, b.states[i])
	return Decision{Frequency: b.states[i], Reason: reasonOf(i, len(b.states), t > desired),
		Max: longest, Chosen: t, Slack: carried}
}

// reasonOf names why state i of n was chosen; beyond says that it is slower than the budget alone
// allows.
func reasonOf(i, n int, beyond bool) Reason {
	switch {
	case beyond:
		return ReasonCarry
	case i == n-1:
		return ReasonHighest
	case i == 0:
		return ReasonLowest
	}
	return ReasonBudget
}

var _ Policy = (*Printed)(nil)
