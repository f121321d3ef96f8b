package verdict

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// ebbs returns a sentence on what ebb itself cost a run that was always at the highest clock.
func (v *Verdict) ebbs(f *Facts) string {
	saved, lo, hi := f.own()
	if f.Metered && !f.Bare && (f.Share == 0 || f.Share >= leastShare) {
		v.Saved, v.Lo, v.Hi = &saved, &lo, &hi
	}
	lost := "no time lost"
	if f.Lost > unnoticed {
		lost = printable.Percent(f.Lost) + " more time"
	}
	switch {
	case v.Saved != nil && hi < 0 && max(f.Lost, -saved) > unnoticed:
		return fmt.Sprintf("%s and %s more energy by ebb itself", lost, printable.Percent(-saved))
	case f.Lost <= unnoticed:
		return "nothing lost"
	}
	return lost + " by ebb itself"
}

// stay returns the advice for an objective without a budget where no clock but the highest was in
// effect; "" elsewhere.
func (f *Facts) stay() string {
	if !f.Minimize || f.Below || f.OneClock {
		return ""
	}
	return "stay at "
}

// Beginnings of what a model says where no meter does.
const (
	expects = "the model expects"
	noModel = "no model says"
	refers  = "a reference processor would have"
	stays   = "ebb would have kept the highest clock"
	stay    = "stay at the highest clock"
	// TooShort is the verdict on a run that is too short to be judged.
	TooShort = "too short to say"
)

const (
	// shortest is the time below which a run is its start and end, and what these cost: neither the
	// energy nor the time of so short a run says anything of a longer one.
	shortest = time.Second
	// meteredEnough is the time in which a meter's comparisons are enough for an interval
	// (fewPairs): the first comes after a second below the highest clock.
	meteredEnough = 5 * time.Second
)

// short reports whether a run is too short to be judged. A simulated one has no start, and whole
// runs that were compared were chosen to be as long as they are.
func (f *Facts) short() bool {
	return Short(f.Wall) && f.Rounds == 0 && !f.Simulated
}

// Short reports whether nothing that is a share of a run's time or energy is worth saying of one
// that took so long. A time that is not known is 0.
func Short(wall time.Duration) bool { return 0 < wall && wall < shortest }

// tooShort returns that sentence, and which time would be enough.
func (f *Facts) tooShort() string {
	enough := shortest
	if f.Metered && f.Control {
		enough = meteredEnough
	}
	return fmt.Sprintf("%s: the program took %s, and %s or more would do", TooShort,
		printable.Duration(f.Wall), printable.Duration(enough))
}

// expected returns what a model without a meter beside it says.
func (f *Facts) expected() string {
	switch {
	case f.short():
		return f.tooShort()
	case f.kept():
		return f.stays()
	case f.Used <= 0:
		return noModel + " what it saved, " + f.lost()
	case f.Reference && math.Abs(f.Saved) < unnoticed/2:
		return refers + " saved nothing, " + f.lost()
	case f.Reference:
		return refers + " used " + f.change()
	case math.Abs(f.Saved) < unnoticed/2:
		return expects + " no saving, " + f.lost()
	}
	return expects + " " + f.change()
}

// change returns the difference to the highest clock.
func (f *Facts) change() string {
	if f.Saved < 0 {
		return fmt.Sprintf("%s more energy, %s", printable.Percent(-f.Saved), f.lost())
	}
	return fmt.Sprintf("%s less energy, %s", printable.Percent(f.Saved), f.lost())
}

func (f *Facts) doubt() string {
	if !f.Doubt {
		return ""
	}
	return "; what a lower clock would save is less than the doubt about it"
}

// lost returns the time that clock and ebb cost, ebb's own part apart.
func (f *Facts) lost() string {
	switch {
	case f.Lost <= unnoticed:
		return "no time lost"
	case f.Own > unnoticed && f.Own <= f.Lost:
		return fmt.Sprintf("%s more time, %s of it by ebb itself", printable.Percent(f.Lost),
			printable.Percent(f.Own))
	}
	return printable.Percent(f.Lost) + " more time"
}

// kept reports whether the model never preferred a lower clock, so that only ebb itself cost time.
func (f *Facts) kept() bool { return !f.Control && !f.Below && !f.Simulated }

// stays returns a sentence on that, and on what ebb itself cost.
func (f *Facts) stays() string {
	s := stays
	if f.Minimize {
		s = stay + ": no lower one would have saved energy"
	}
	if f.Lost <= unnoticed {
		return s + ", and cost no time"
	}
	return fmt.Sprintf("%s; %s more time by ebb itself", s, printable.Percent(f.Lost))
}

// allTheTime returns which clock was in effect where no lower one was.
func (f *Facts) allTheTime() string {
	switch {
	case f.OneClock && f.narrow():
		return fmt.Sprintf("there is one clock to choose from, %s of %s", f.Highest.Text(),
			f.Hardware.Text())
	case f.OneClock:
		return "there is one clock to choose from"
	}
	return f.highest() + " all the time"
}

// highest returns the name of the highest clock that could be chosen.
func (f *Facts) highest() string {
	switch {
	case f.narrow():
		return fmt.Sprintf("%s, the highest clock that the limits allow, of %s",
			f.Highest.Text(), f.Hardware.Text())
	case f.AtLeast:
		return fmt.Sprintf("the highest clock (%s at least, with turbo)", f.Highest.Text())
	}
	return "the highest clock"
}

// narrow reports whether a limit keeps the clock below what the processor has.
func (f *Facts) narrow() bool { return f.LimitedBy != "" && f.Highest < f.Hardware }
