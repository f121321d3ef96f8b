package verdict

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/printable"
)

// ebbs says what a run lost that was always at the highest clock: what ebb itself cost.
func (v *Verdict) ebbs(f *Facts) string {
	saved, lo, hi := f.own()
	if f.Metered && !f.Bare && (f.Share == 0 || f.Share >= leastShare) {
		v.Saved, v.Lo, v.Hi = &saved, &lo, &hi
	}
	switch {
	case v.Saved != nil && hi < 0 && max(f.Lost, -saved) > unnoticed:
		return fmt.Sprintf("%s and %s more energy by ebb itself", f.lost(),
			printable.Percent(-saved))
	case f.Lost <= unnoticed:
		return "nothing lost"
	}
	return f.lost() + " by ebb itself"
}

// The words that what a model says begins with, where no meter does.
const (
	Expects = "the model expects"
	NoModel = "no model says"
)

// expected is what a model without a meter beside it says.
func (f *Facts) expected() string {
	switch {
	case f.Used <= 0:
		return NoModel + " what it saved, " + f.lost()
	case math.Abs(f.Saved) < unnoticed/2:
		return Expects + " no saving, " + f.lost()
	}
	return Expects + " " + f.change()
}

// change is the difference to the highest clock.
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

func (f *Facts) lost() string {
	if f.Lost <= unnoticed {
		return "no time lost"
	}
	return printable.Percent(f.Lost) + " more time"
}
