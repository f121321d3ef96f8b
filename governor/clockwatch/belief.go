package clockwatch

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

// unknown reports whether the clock is slow for a reason not yet known.
func (w *Watch) unknown() bool { return w.stage == asking || w.stage == trying }

// below returns the distance, ln, of the reach from the highest state.
func (w *Watch) below() float64 { return -math.Log(w.reach / float64(w.highest)) }

// Limited reports whether something is known to limit the clock.
func (w *Watch) Limited() bool { return w.below() > noise }

// Reach returns the highest available frequency as far as known, and no less than base, the mean
// clock of the quantum in Hz.
func (w *Watch) Reach(base float64) units.Frequency {
	f := w.reach
	if w.unknown() {
		f = w.slow
	}
	if f = max(f, base); math.Abs(math.Log(f/float64(w.highest))) < noise {
		return w.highest
	}
	return units.Frequency(f)
}

// Suspends reports whether it is still unknown if the budget owes the cost of a slow clock in the
// quantum. If so, Suspend enters the cost.
func (w *Watch) Suspends() bool {
	return w.unknown() || w.stage == agrees && !w.limitGone && w.Limited()
}

// Suspend enters time, in ns, that a slow clock has cost.
func (w *Watch) Suspend(ns float64) { w.suspended += ns }

// Owed returns the suspended time, in ns, that has turned out to be owed, and ends its suspension.
func (w *Watch) Owed() (ns float64) {
	ns, w.suspended = w.suspended, 0
	return ns
}

// Override says why the coming quantum runs at another state than was decided.
type Override uint8

const (
	// Keep: it does not.
	Keep Override = iota
	// Trial: the state finds out why the clocks differ, or is the highest while requests do
	// nothing.
	Trial
	// Unlimited: the clock will be the limit in any case, so the highest state costs no energy, and
	// shows whether the limit is still there.
	Unlimited
	// Check: the highest state shows whether the limit is still there.
	Check
)

// Override returns the state for the coming quantum where f was decided.
func (w *Watch) Override(f units.Frequency) (units.Frequency, Override) {
	switch limited := w.Limited(); {
	case w.force != 0:
		return w.force, Trial
	case limited && float64(f) > w.reach*(1-noise):
		return w.highest, Unlimited
	case limited && w.sinceTop >= min(w.limitSeen/2, longestUnchecked):
		return w.highest, Check
	}
	return f, Keep
}
