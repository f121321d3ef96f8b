package policy

import "time"

const (
	// excursionShare is the share of the run's energy that excursions may cost beyond the state of
	// least energy, as expected when they are made.
	excursionShare = 0.005
	// excursionGain is the share of the energy that an excursion must have a chance to save: less
	// is not worth the changes.
	excursionGain = 0.02
	// excursionTime is the length of an excursion, ns: a meter's window of some 40 ms fits in.
	excursionTime = float64(80 * time.Millisecond)
	// optimisticTries is the number of excursions that use the bound of two standard deviations;
	// later ones use one. If these found nothing, more would not.
	optimisticTries = 8
)

// excursions are the states tried to get to know the machine.
type excursions struct {
	allowed float64 // energy that excursions may still cost, nJ; at least 0
	state   int     // index of the state tried last
	left    float64 // ns of the excursion in progress; 0 outside of one
	made    int
}

// excursion returns a state to try for a while instead of best, or best. A meter that is read at
// one frequency says little of others: what is always on and what goes with the clock are one sum
// there. So a state is tried that would save more than excursionGain if the fit erred in its
// disfavour by two standard deviations, and after optimisticTries excursions by one. The most
// promising is first, as far as the allowance goes. (With one deviation from the beginning, a state
// that is a little further off is never tried, however long the program runs: on the simulated
// server with three states the middle one was thought to take 6 % more, give or take 6, and takes
// 4 % less.) As the fit gets to know the machine the deviations shrink, and the excursions end by
// themselves.
//
// longest is the last quantum's time at the highest frequency, and dur its own, both in ns: the
// allowance grows with the work, and an excursion ends by the clock of the meter.
//
// Without a meter there is nothing to find out.
func (e *SystemEnergy) excursion(best int, longest, dur float64) int {
	if e.fit.Fitted() == 0 {
		return best
	}
	x := &e.tried
	least := e.energy(best)
	x.allowed += excursionShare * float64(least*longest)
	if x.left > 0 {
		x.left = max(x.left-dur, 0)
		return x.state
	}
	state, price := e.promising(best, least)
	if state == best {
		return best
	}
	x.state, x.left = state, max(excursionTime-dur, 0)
	x.made++
	x.allowed -= price
	return state
}

// promising returns the most promising state to try instead of best, whose energy is least, and
// what the try is expected to cost, nJ; best when none is.
func (e *SystemEnergy) promising(best int, least float64) (state int, price float64) {
	parts := e.forecast.Coming.Parts
	most := excursionGain * least
	deviations := 2.0
	if e.tried.made >= optimisticTries {
		deviations = 1
	}
	state = best
	for i := range e.states {
		more := e.energy(i) - least
		cost := float64(more * (excursionTime / (1 + e.forecast.Coming.Extra[i])))
		if i == best || cost > e.tried.allowed {
			continue
		}
		apart := parts[i].Minus(&parts[best])
		if gain := deviations*e.fit.Deviation(&apart) - more; gain > most {
			state, most, price = i, gain, cost
		}
	}
	return state, price
}
