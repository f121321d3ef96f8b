package policy

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// AllotmentConfig is what an Allotment needs to know.
type AllotmentConfig struct {
	// how much longer than at the highest frequency the work may take; see CheckSlowdown
	Slowdown units.Ratio
	States   []units.Frequency // to choose from, ascending
	HoldOff  int               // for how many quanta a decision rules; 0 is 1
	// Power is the processor's energy. It may go on learning while the policy uses it.
	Power  *power.Fit
	Margin Margin
	// CarryMax bounds the unspent time that is carried on; 0 is the default, what the budget gives
	// in saveFor.
	CarryMax time.Duration
	// Quantum is how long a quantum is, and Settle how long a request takes to be in effect. Where
	// that is not small beside a quantum changes are avoided that gain nothing.
	Quantum, Settle time.Duration
}

// Allotment spends a slowdown budget over the whole run where a millisecond saves the most energy.
//
// # The rule
//
// The paper slows every quantum by the same share (section 6.1.1). That keeps the budget, but a
// millisecond spent on waiting for memory saves several times the energy of one spent on computing.
// Least energy within a budget for the whole run is at one price of time for all quanta: each goes
// down in frequency as long as the next step saves more energy per time lost than the price. The
// price is the one at which quanta such as those of the past would have spent the budget.
//
// After each quantum:
//
//  1. The account is settled by what happened: account += T(highest) (1 + s) - Took for the part with work, h times for a
//     hold-off of h. It can be negative, when more was spent than allowed.
//  2. What the quantum's work takes and costs in each state makes its shape, by prediction and power model. The shape of
//     what comes is forecast as something between this one and the mean of the past, as far as one quantum has said
//     something of the next so far.
//  3. The price is looked up in the ledger: the one at which the quanta of the past, by their shapes, would have spent
//     the budget and what is in the account, spread over a horizon.
//  4. The forecast shape at that price gives the time to spend; the lowest state that does not spend more is taken, and
//     what it leaves is added to what the next may spend, so that between two states the mean is met.
//
// Where changes are slow beside a quantum a step down by one state waits until there is time for
// some quanta of it; a step up never waits. What lower states were chosen for must have come true
// (proof). A debt beyond what the run so far allows is paid with the next decision. A state below
// the one of least energy is never chosen, so that on a machine where low frequencies cost more,
// the highest is.
type Allotment struct {
	pause
	forecast
	cfg      AllotmentConfig
	slowdown float64
	holdOff  float64

	proof     proof
	spend     spending
	ledger    ledger
	account   float64 // ns
	busy      float64 // time at the highest frequency of all work so far, ns
	over      float64 // left by the steps between states, ns per ns
	ruling    bool
	reluctant bool // changes are slow
	last      int
}

// How far the policy looks back and ahead, in time at the highest frequency.
const (
	// spreadShare is over what share of the run so far the account is brought back to nothing. What
	// a phase spends otherwise than the past makes a lasting offset in the account in proportion to
	// that time, and what is in it at the end of the run is lost: so it must stay a small share of
	// the run, however short that is. The bounds are in quanta: in fewer the price would follow
	// each single one, and a steady price saves more.
	spreadShare             = 0.1
	spreadLeast, spreadMost = 3, 12
	// commonQuantum stands for a length of the quantum that is not told.
	commonQuantum = 5 * time.Millisecond
	// saveFor bounds what can be saved up: the budget of so much time.
	saveFor = float64(2 * time.Second)
	// debtShare is how much of the time so far may be owed. What is owed when the program ends is
	// overspent, so more than that is paid with the next decision, as far as it goes; not at the
	// highest state if less does, where the quantum would save nothing and what it leaves over
	// would save little in those to come.
	debtShare = 0.002
)

// slowChange is the part of a quantum beyond which a change is slow.
const slowChange = 100

// enough is for how many quanta at the state below there must be time left over before it is taken,
// where changes are slow.
const enough = 2

// NewAllotment makes a policy with nothing in its account. An invalid configuration is an error
// that says what is wrong.
func NewAllotment(c AllotmentConfig) (*Allotment, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := CheckSlowdown(c.Slowdown); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if err := CheckMargin(c.Margin); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	switch {
	case c.Power == nil:
		return nil, errors.New("policy: no model of the processor's energy")
	case c.HoldOff < 0:
		return nil, fmt.Errorf("policy: hold-off %d is negative", c.HoldOff)
	case c.CarryMax < 0:
		return nil, fmt.Errorf("policy: bound of the carried time %v is negative", c.CarryMax)
	case c.Settle < 0:
		return nil, fmt.Errorf("policy: settling time %v is negative", c.Settle)
	}
	n := len(s)
	return &Allotment{
		pause: pause{states: s, current: s.highest()}, cfg: c,
		slowdown: float64(c.Slowdown * (1 - c.Margin.Share)), holdOff: float64(max(c.HoldOff, 1)),
		reluctant: c.Settle > c.Quantum/slowChange,
		forecast:  newForecast(s), last: n - 1,
	}, nil
}

// Decide implements Policy. It asks for at most maxAsked predictions.
//
// A quantum with holes, or without a usable prediction, is followed by the highest frequency; it
// earns nothing and leaves the account as it is.
func (a *Allotment) Decide(q Quantum, p Predicted) Decision {
	if !q.Hole && q.Busy <= 0 {
		return a.carrying(a.pause.decide(&q))
	}
	if q.Hole || q.Dur <= 0 {
		return a.carrying(a.hole(&q, p))
	}
	longest := p.Duration(a.states.highest())
	if !usable(longest) {
		a.ran(&q, a.states.highest())
		return a.carrying(Decision{Frequency: a.states.highest(), Reason: ReasonHole})
	}
	if h := q.Highest; h != 0 && !math.IsNaN(h) && !math.IsInf(h, 0) {
		a.settle(&q, h)
	} else {
		a.settle(&q, longest)
	}
	a.now.read(a.states, a.ask, p, longest, &q, a.cfg.Power)
	a.enter(longest)

	i, reason := a.choose()
	if top := len(a.states) - 1; !a.proof.allows(&a.coming, i) {
		i, reason = top, ReasonEnergy
	}
	a.last = i
	a.ran(&q, a.states[i])
	return a.carrying(Decision{Frequency: a.states[i], Reason: reason, Max: longest,
		Chosen: float64(longest * (1 + a.now.extra[i]))})
}

// settle enters what the quantum took. longest is what it makes of the run at the highest
// frequency, and may be uneven.
func (a *Allotment) settle(q *Quantum, longest float64) {
	idle := min(max(float64(q.Dur-q.Busy), 0), max(longest, 0))
	work := longest - idle
	if a.cfg.Margin.ErrorBar {
		work *= 1 - min(max(q.Doubt, 0), 0.5)
	}
	// The first quantum ran before anything was decided, and stands for itself.
	window := 1.0
	if a.ruling {
		window = a.holdOff
	}
	if usable(q.Took) {
		a.account += float64(window * (idle + float64(work*(1+a.slowdown)) - q.Took))
	}
	a.ruling = true
	a.busy += float64(window * work)
	most := float64(a.cfg.CarryMax)
	if most == 0 {
		most = saveFor * a.slowdown
	}
	a.account = min(a.account, most)
}

// enter enters the quantum's work in the forecast and its shape in the ledger.
func (a *Allotment) enter(longest float64) {
	keep := a.add(longest)
	a.proof.judge(&a.now, longest, keep)
	a.spend.at(&a.coming)
	a.ledger.add(&a.spend, longest, keep)
}

// choose finds the state for the forecast shape, and why.
func (a *Allotment) choose() (int, Reason) {
	n := len(a.states)
	horizon, debt := a.horizon(), a.account < -debtShare*a.busy
	if debt {
		horizon, a.over = a.window(), 0
	}
	share := max(a.slowdown+a.account/horizon, 0)
	place := a.ledger.place(share)
	want := a.spend.along(place)
	i := a.coming.slowest(want + a.over)
	if place < priceSteps { // else there is no price for time, and nothing to save up for
		i = a.steady(want, i)
	}
	// What a state leaves or takes is per time at the highest frequency; a slower one gets less
	// work done in a quantum.
	a.over += (want - a.coming.extra[i]) / (1 + a.coming.extra[i])
	most := a.step(i)
	if a.reluctant {
		most *= enough + 1
	}
	a.over = min(max(a.over, 0), most)
	if place >= priceSteps {
		a.over = 0
	}
	switch {
	case debt:
		return i, ReasonDebt
	case place >= priceSteps && i == a.coming.frugal():
		return i, ReasonEnergy
	case place < priceSteps && a.coming.extra[i] > a.slowdown:
		return i, ReasonCarry
	}
	return i, reasonOf(i, n, false)
}

// horizon is the time over which the account is brought back to nothing, in ns at the highest
// frequency.
func (a *Allotment) horizon() float64 {
	window := a.window()
	return min(max(spreadShare*a.busy, spreadLeast*window), spreadMost*window)
}

// window is for how long a decision rules, ns.
func (a *Allotment) window() float64 {
	quantum := a.cfg.Quantum
	if quantum <= 0 {
		quantum = commonQuantum
	}
	return a.holdOff * float64(quantum)
}

// steady puts off a step down by one state where changes are slow, until so much is left over that
// it lasts for some quanta: to go down and up with each quantum gains nothing but cores that stand
// still. A step up is never put off.
func (a *Allotment) steady(want float64, i int) int {
	if !a.reluctant {
		return i
	}
	// What is left over buys one state, however much it is.
	if i = max(i, a.coming.slowest(want)-1); i != a.last-1 {
		return i
	}
	if step := a.coming.extra[i] - a.coming.extra[a.last]; a.over+
		(want-a.coming.extra[a.last]) > enough*step {
		return i
	}
	return a.last
}

// step is the extra time of the state below i.
func (a *Allotment) step(i int) float64 {
	if i == 0 {
		return 0
	}
	return a.coming.extra[i-1] - a.coming.extra[i]
}

func (a *Allotment) carrying(d Decision) Decision {
	d.Slack = a.account
	return d
}
