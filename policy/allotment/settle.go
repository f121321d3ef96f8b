package allotment

import (
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/policy/choice"
)

const (
	// saveFor bounds what can be saved up: the budget of that much time.
	saveFor = float64(2 * time.Second)
	// maxDoubt bounds the share of a quantum's work that is in doubt.
	maxDoubt = 0.5
)

// settle enters the quantum's time. progress is the quantum's part of the run at the highest
// frequency, ns; in a single quantum it may be odd, even below zero.
func (a *Allotment) settle(q *policy.Quantum, progress float64) {
	idle := min(max(float64(q.Dur-q.Busy), 0), max(progress, 0))
	work := progress - idle
	if a.cfg.Margin.ErrorBar {
		work *= 1 - min(max(q.Doubt, 0), maxDoubt)
	}
	// The first quantum ran before anything was decided, and stands for itself.
	window := 1.0
	if a.ruling {
		window = a.holdOff
	}
	if choice.Usable(q.Took) {
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
