package policy

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// AllotmentConfig determines what an Allotment decides.
type AllotmentConfig struct {
	Slowdown units.Slowdown
	States   []units.Frequency // states to choose from, ascending
	HoldOff  int               // number of quanta that a decision rules; 0 is 1
	// Power is the model of the processor's energy. It may go on learning while the policy uses it.
	Power  *power.Fit
	Margin Margin
	// CarryMax bounds the unspent time that is carried on; 0 is the default: what the budget gives
	// in saveFor.
	CarryMax time.Duration
	// Quantum is the length of a quantum; 0 is 5 ms. Settle is the time until a request is in
	// effect. Where that is not small beside a quantum, the policy avoids changes that gain
	// nothing.
	Quantum, Settle time.Duration
}

// Allotment spends a slowdown budget over the whole run where a millisecond saves the most energy.
//
// # The rule
//
// The paper slows every quantum by the same share (section 6.1.1). That keeps the budget, but a
// millisecond spent on waiting for memory saves several times the energy of one spent on computing.
// A budget for the whole run gives the least energy at one price of time for all quanta: each
// lowers its frequency as long as the next step saves more energy per time lost than the price. The
// price is the one at which quanta such as those of the past would have spent the budget.
//
// After each quantum:
//
//  1. The measured time settles the account: account += T(highest) (1 + s) - Took for the part with
//     work, h times for a hold-off of h. The cost of ebb itself goes off. The account can be
//     negative, when more was spent than allowed.
//  2. Predictions and power model give the shape of the quantum's work: its time and energy in each
//     state. The shape of the coming quantum is forecast (type forecast).
//  3. Past spending gives the price at which past quanta, by their shapes, would have spent
//     the budget and what is in the account, spread over a horizon.
//  4. The forecast shape at that price gives the time to spend. The lowest state that does not
//     spend more is chosen. The next decision may also spend what this one leaves, so that the mean
//     is met between two states.
//
// Where changes are slow beside a quantum, a step down by one state waits until the account has
// time for some quanta there; a step up never waits. Lower states must have saved what they were
// chosen for (proof). A debt beyond what the run so far allows is paid with the next decision. A
// state below the one of least energy is never chosen, so that on a machine where low frequencies
// cost more, the highest is.
type Allotment struct {
	cfg         AllotmentConfig
	states      states
	pause       pause
	forecast    forecast
	slowdown    float64 // the budget without its margin
	holdOff     float64 // quanta, at least 1
	slowChanges bool    // a request takes long beside a quantum

	proof proof
	spend spending // spending of the forecast shape at each price
	past  pastSpending

	// account is the time left of the budget, ns. It is negative when more was spent than allowed,
	// and at most CarryMax or its default.
	account float64
	busy    float64 // time at the highest frequency of all work so far, ns
	own     float64 // what ebb itself has cost the program so far, ns
	// over is the remainder that the steps between states left, ns per ns at the highest frequency.
	// It is at least 0, and at most the step to the next state down, or some such steps where
	// changes are slow.
	over float64
	// pending is the time that each further step of the grid adds to over, while the decision in
	// force rules.
	pending float64
	steps   int  // number of the grid's quanta in the quantum entered last; 0 stands for 1
	ruling  bool // a decision is in force and its window not settled yet
	last    int  // index of the state chosen last
}

var _ Policy = (*Allotment)(nil)

// NewAllotment makes a policy with nothing in its account. An invalid configuration is an error
// that says what is wrong.
func NewAllotment(c AllotmentConfig) (*Allotment, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return &Allotment{
		cfg: c, states: s, pause: newPause(s), forecast: newForecast(s, false),
		slowdown: float64(c.Slowdown) * (1 - float64(c.Margin.Share)),
		holdOff:  float64(max(c.HoldOff, 1)), slowChanges: c.Settle > c.Quantum/slowChangePart,
		last: len(s) - 1,
	}, nil
}

func (c *AllotmentConfig) validate() error {
	if err := c.Slowdown.Validate(); err != nil {
		return err
	}
	if err := c.Margin.Validate(); err != nil {
		return err
	}
	switch {
	case c.Power == nil:
		return errors.New("no model of the processor's energy")
	case c.HoldOff < 0:
		return fmt.Errorf("hold-off %d is negative", c.HoldOff)
	case c.CarryMax < 0:
		return fmt.Errorf("bound of the carried time %v is negative", c.CarryMax)
	case c.Settle < 0:
		return fmt.Errorf("settling time %v is negative", c.Settle)
	}
	return nil
}

// First returns the highest state: it cannot be too slow.
func (a *Allotment) First() units.Frequency { return a.states.Highest() }

// Decide implements Policy. It asks for at most nine predictions.
//
// A quantum with holes, or without a usable prediction, is followed by the highest frequency; it
// earns nothing and leaves the account as it is.
//
// The account pays the cost of ebb itself in every case.
func (a *Allotment) Decide(q Quantum, p Predictions) Decision {
	a.pay(q.Own)
	if d, ok := a.pause.Waits(&q, p); ok {
		a.credit(&q, progress(&q, d.Max))
		a.forecast.hold(d.Max)
		d.Slack = a.account
		return d
	}
	longest, d, ok := a.pause.Longest(&q, p)
	if !ok {
		d.Slack = a.account
		return d
	}
	a.credit(&q, progress(&q, longest))
	a.enter(&q, p, longest)

	if a.steps = q.Steps; a.steps > 1 {
		a.over = max(a.over+float64(float64(q.Steps-1)*a.pending), 0)
	}
	i, reason := a.choose()
	if !a.proof.allows(&a.forecast.Coming, i) {
		i, reason = len(a.states)-1, ReasonEnergy
	}
	a.last = i
	a.pause.Ran(&q, a.states[i])
	return Decision{Frequency: a.states[i], Reason: reason, Max: longest,
		Chosen: float64(longest * (1 + a.forecast.Now.Extra[i])), Slack: a.account}
}

// progress returns the quantum's part of the run at the highest frequency, where its work alone
// takes longest there; ns.
func progress(q *Quantum, longest float64) float64 {
	if h := q.Highest; h != 0 && !math.IsNaN(h) && !math.IsInf(h, 0) {
		return h
	}
	return longest
}

// enter enters the quantum's work in the forecast, and its shape in past spending.
func (a *Allotment) enter(q *Quantum, p Predictions, longest float64) {
	keep := a.forecast.Add(q, p, longest, a.cfg.Power)
	a.proof.judge(&a.forecast.Now, longest, keep)
	a.spend.at(&a.forecast.Coming)
	a.past.add(&a.spend, longest, keep)
}
