package policy

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// BudgetConfig determines what a Budget decides.
type BudgetConfig struct {
	Slowdown units.Slowdown
	States   []units.Frequency // states to choose from, ascending
	HoldOff  int               // number of quanta that a decision rules; 0 is 1
	// CarryMax bounds the excess time that is carried on. 0 is the default: one window of HoldOff
	// quanta, times the widest ratio of two neighbouring states. That is always enough to save up
	// for the next state down, which is the purpose of carrying. A larger bound saves more where
	// phases differ, but slows one phase for longer with what another left over. Without a bound an
	// hour of waiting for memory would buy minutes at a crawl.
	CarryMax time.Duration
}

// Budget chooses the lowest frequency that keeps the work within a slowdown budget (DEP+BURST,
// section 6.1).
//
// # The rule
//
// A quantum of length D was observed. Its work takes T(f) at frequency f by prediction, and I of
// its time no thread ran, which is the same at every frequency. W(f) = T(f) - I is then the time
// with work. With a slowdown s and an excess time x carried so far, a state fits when
//
//	W(f) <= W(highest) * (1 + s + x/(h D))
//
// and the lowest state that fits is taken for the coming window of h quanta (the hold-off). At the
// window's end a quantum of it has been observed, which took Quantum.Took at the frequency in
// effect, and the window is settled by it:
//
//	x' = x + h * (I + W(highest) (1 + s) - Took),   at most CarryMax
//
// This is equation 1: I + W(highest) (1 + s) is its desired time, and Took what its estimated time
// has become. The time that ebb itself has cost the program (Quantum.Own) is taken off.
//
// # What the paper leaves open
//
// The excess accumulates: what is carried in is part of the desired time, or it would be lost one
// decision later.
//
// The account uses measured times, not expected ones. Equation 1 as printed uses the prediction for
// the observed quantum and never notices what the coming quanta do differently. On work whose share
// of waiting changes from quantum to quantum, that lets a 5 % budget become 5.1 to 5.4 %. So the
// excess can fall below zero, and then the program runs at the highest frequency until the debt is
// paid.
//
// Only time with work earns: an idle hour has no excess time to leave. And a carried excess is
// compared with a whole window of work, x/(h D), even if the quantum was mostly idle: with little
// work in it any slowdown would look affordable, but the next quantum may be busy from end to end.
type Budget struct {
	states   states
	pause    pause
	slowdown float64
	holdOff  float64 // quanta, at least 1
	carryMax float64 // ns; 0 for the default
	widest   float64 // largest ratio of two neighbouring states, at least 1
	last     int     // index of the state chosen last
	ruling   bool    // a decision is in force and its window not settled yet
	carry    float64 // x, ns; at most bound(the last window), negative when overspent
}

var _ Policy = (*Budget)(nil)

// NewBudget makes a policy with nothing carried. An invalid configuration is an error that says
// what is wrong.
func NewBudget(c BudgetConfig) (*Budget, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := c.Slowdown.Validate(); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if c.HoldOff < 0 {
		return nil, fmt.Errorf("policy: hold-off %d is negative", c.HoldOff)
	}
	if c.CarryMax < 0 {
		return nil, fmt.Errorf("policy: bound of the carried time %v is negative", c.CarryMax)
	}
	return &Budget{
		states: s, pause: newPause(s), last: len(s) - 1, widest: s.Widest(),
		slowdown: float64(c.Slowdown), holdOff: float64(max(c.HoldOff, 1)),
		carryMax: float64(c.CarryMax),
	}, nil
}

// First returns the highest state: it cannot be too slow.
func (b *Budget) First() units.Frequency { return b.states.Highest() }

// Decide implements Policy. It asks for at most 1 + ceil(log2 n) predictions for n states: 6 for
// 25, 4 for 7.
//
// A quantum with holes, or without a usable prediction, is followed by the highest frequency; it
// earns nothing and leaves what is carried as it is.
//
// The account pays the cost of ebb itself in every case.
func (b *Budget) Decide(q Quantum, p Predictions) Decision {
	b.carry -= float64(q.Own)
	if d, ok := b.pause.Waits(&q, p); ok {
		b.carryOver(&q, d.Max)
		d.Slack = b.carry
		return d
	}
	longest, d, ok := b.pause.Longest(&q, p)
	if !ok {
		d.Slack = b.carry
		return d
	}
	idle := min(q.Idle(), longest)
	work := longest - idle
	window := b.holdOff * float64(q.Dur)
	desired := b.carryOver(&q, longest)
	limit := idle + float64(work*(1+b.slowdown+b.carry/window))

	i, t := b.states.Lowest(p, longest, limit, b.last)
	b.last = i
	b.pause.Ran(&q, b.states[i])
	return Decision{Frequency: b.states[i], Reason: b.states.Reason(i, t > desired),
		Max: longest, Chosen: t, Slack: b.carry}
}

// carryOver carries on the time that the quantum left of its budget, or spent beyond it. It returns
// the time that the quantum's work was to take at most.
func (b *Budget) carryOver(q *Quantum, longest float64) (desired float64) {
	idle := min(q.Idle(), longest)
	// The conversions keep products apart from sums, so that every architecture rounds alike.
	desired = idle + float64((longest-idle)*(1+b.slowdown))
	if b.ruling && usable(q.Took) {
		b.carry = min(b.carry+float64(b.holdOff*(desired-q.Took)),
			b.bound(b.holdOff*float64(q.Dur)))
	}
	b.ruling = true
	return desired
}

// bound returns the most that is carried on after a quantum that rules a window.
func (b *Budget) bound(window float64) float64 {
	if b.carryMax > 0 {
		return b.carryMax
	}
	return window * b.widest
}
