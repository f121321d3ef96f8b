package policy

import (
	"time"
)

const (
	// saveFor bounds the time that can be saved up: the budget of that much time.
	saveFor = float64(2 * time.Second)
	// maxDoubt bounds the share of a quantum's work that is in doubt.
	maxDoubt = 0.5
)

// credit enters the quantum's time. progress is the quantum's part of the run at the highest
// frequency, ns; in a single quantum it may be odd, even below zero.
func (a *Allotment) credit(q *Quantum, progress float64) {
	idle := min(q.Idle(), max(progress, 0))
	work := progress - idle
	if a.cfg.Margin.ErrorBar {
		work *= 1 - min(max(q.Doubt, 0), maxDoubt)
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

// pay takes the time that ebb itself has cost the program off the account. The quantum's time has
// it as well, as a wait or within the running time, but so has the time at the highest frequency.
func (a *Allotment) pay(own time.Duration) {
	a.account -= float64(own)
	a.own += float64(own)
}

// left returns the share of the time that is left of the budget for slower states: ebb's own cost
// so far says what it will take. Without that the account would only ever catch up with it.
func (a *Allotment) left() float64 {
	if a.own == 0 || a.busy == 0 {
		return a.slowdown
	}
	return a.slowdown - a.own/a.busy
}
