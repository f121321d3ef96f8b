package policy

import "time"

const (
	// excursionShare is how much of the run's energy excursions may cost beyond the state of least
	// energy, as expected when they are made.
	excursionShare = 0.005
	// excursionGain is what must be possible to save, as a share of the energy, for an excursion:
	// less is not worth the changes.
	excursionGain = 0.02
	// excursionTime is how long one lasts, in time at the highest frequency: a meter's window of
	// some 40 ms fits in.
	excursionTime = float64(80 * time.Millisecond)
	// hopeful is how many excursions are made for less than is likely. What these have not shown,
	// more of them do not.
	hopeful = 8
)

// excursions are what is tried to get to know the machine.
type excursions struct {
	allowed float64 // energy that they may still cost, nJ
	state   int
	left    float64 // of the one in progress, ns
	made    int
}

// excursion is a state to try for a while instead of best, or best. A meter that is read at one
// frequency only tells little of others: what is always on and what goes with the clock are one sum
// there. So a state which, two standard deviations of the fit in its favour, and one from the
// hopeful-th excursion on, saves more than excursionGain is tried, the most promising first, as far
// as the allowance goes. (With one from the beginning, a state that is a little further off than
// that is never tried, however long the program runs: on the simulated server with three states the
// middle one was thought to take 6 % more, give or take 6, and takes 4 % less.) As the fit gets to
// know the machine the deviations shrink, and the excursions end by themselves.
//
// Without a meter there is nothing to find out.
func (e *SystemEnergy) excursion(best int, longest float64) int {
	if e.fit.Fitted() == 0 {
		return best
	}
	x := &e.tried
	least := e.energy(best)
	x.allowed += excursionShare * float64(least*longest)
	if x.left > 0 {
		x.left = max(x.left-longest, 0)
		return x.state
	}
	most, price := excursionGain*least, 0.0
	deviations := 2.0
	if x.made >= hopeful {
		deviations = 1
	}
	for i := range e.states {
		more := e.energy(i) - least
		if i == best || float64(more*excursionTime) > x.allowed {
			continue
		}
		apart := e.coming.parts[i].Minus(&e.coming.parts[best])
		if gain := deviations*e.fit.Deviation(&apart) - more; gain > most {
			x.state, most, price, x.left = i, gain, more, excursionTime
		}
	}
	if x.left == 0 {
		return best
	}
	x.made++
	x.allowed -= float64(price * excursionTime)
	x.left = max(x.left-longest, 0)
	return x.state
}
