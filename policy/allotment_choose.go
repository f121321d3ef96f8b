package policy

import (
	"time"
)

// The times that the policy looks back and ahead, at the highest frequency.
const (
	// spreadShare is the share of the run so far over which the account is brought back to nothing.
	// A phase that spends otherwise than the past offsets the account in proportion to that time,
	// and what is in the account at the end of the run is lost. So it must stay a small share of
	// the run, also of a short one.
	spreadShare = 0.1
	// spreadLeast and spreadMost bound that time, in windows. With fewer the price would follow
	// each single quantum, and a steady price saves more.
	spreadLeast, spreadMost = 3, 12
	// commonQuantum stands for an unknown length of the quantum.
	commonQuantum = 5 * time.Millisecond
	// debtShare is the share of the time so far that may be owed. A debt at the program's end is
	// overspent, so more than that is paid with the next decision, as far as one decision can. If a
	// lower state than the highest pays it, that state is taken: the highest would save nothing in
	// the quantum, and what it leaves over would save little in those to come.
	debtShare = 0.002
	// debtOver bounds that time so far: a long run keeps the budget in every window of this length.
	debtOver = float64(5 * time.Minute)
	// slowChangePart bounds a fast change: a change that takes more than 1/slowChangePart of a
	// quantum is slow.
	slowChangePart = 100
	// saveQuanta is the number of quanta at the state below that must be left over before it is
	// chosen, where changes are slow.
	saveQuanta = 2
)

// choose finds the state for the forecast shape, and why.
func (a *Allotment) choose() (int, Reason) {
	coming := &a.forecast.Coming
	horizon, debt := a.horizon(), a.account < -debtShare*min(a.busy, debtOver)
	if debt {
		horizon, a.over = a.window(), 0
	}
	left := a.left()
	share := max(left+a.account/horizon, 0)
	place := a.past.stepFor(share)
	want := a.spend.along(place)
	i := coming.Slowest(want + a.over)
	if place < priceSteps { // beyond it time has no price, and nothing is saved up for
		i = a.steady(want, i)
	}
	// The balance of a state is per time at the highest frequency. A slower state gets less work
	// done in a quantum.
	a.pending = (want - coming.Extra[i]) / (1 + coming.Extra[i])
	a.over += a.pending
	most := a.step(i)
	if a.slowChanges {
		most *= saveQuanta + 1
	}
	a.over = min(max(a.over, 0), most)
	if place >= priceSteps {
		a.over = 0
	}
	switch {
	case debt:
		return i, ReasonDebt
	case place >= priceSteps && i == coming.Frugal():
		return i, ReasonEnergy
	case place < priceSteps && coming.Extra[i] > left:
		return i, ReasonCarry
	}
	return i, a.states.Reason(i, false)
}

// horizon returns the time over which the account is brought back to nothing, in ns at the highest
// frequency.
func (a *Allotment) horizon() float64 {
	window := a.window() * float64(max(a.steps, 1))
	return min(max(spreadShare*a.busy, spreadLeast*window), spreadMost*window)
}

// window returns the time that a decision rules, ns.
func (a *Allotment) window() float64 {
	quantum := a.cfg.Quantum
	if quantum <= 0 {
		quantum = commonQuantum
	}
	return a.holdOff * float64(quantum)
}

// steady puts off a step down by one state where changes are slow, until enough is left over for
// some quanta of it. To go down and up with each quantum gains nothing but cores that stand still.
// A step up is never put off.
func (a *Allotment) steady(want float64, i int) int {
	if !a.slowChanges {
		return i
	}
	// The remainder buys one state, no more.
	if i = max(i, a.forecast.Coming.Slowest(want)-1); i != a.last-1 {
		return i
	}
	extra := a.forecast.Coming.Extra
	step := extra[i] - extra[a.last]
	if a.over+(want-extra[a.last]) > saveQuanta*step {
		return i
	}
	return a.last
}

// step returns the extra time of the state below i.
func (a *Allotment) step(i int) float64 {
	if i == 0 {
		return 0
	}
	return a.forecast.Coming.Extra[i-1] - a.forecast.Coming.Extra[i]
}
