package verdict

import (
	"fmt"
	"math"
)

// ebbs says what a run lost that was always at the highest clock: what ebb itself cost.
func (v *Verdict) ebbs(f *Facts) string {
	saved, lo, hi := f.own()
	if f.Metered && !f.Bare && (f.Share == 0 || f.Share >= leastShare) {
		v.Saved, v.Lo, v.Hi = &saved, &lo, &hi
	}
	switch {
	case f.Lost <= unnoticed:
		return "nothing lost"
	case v.Saved != nil && hi < 0:
		return fmt.Sprintf("%s and %s more energy by ebb itself", f.lost(), percent(-saved))
	}
	return f.lost() + " by ebb itself"
}

func (f *Facts) modelled() string {
	if f.Used <= 0 {
		return "nothing either, " + f.lost()
	}
	if f.Saved < 0 {
		return fmt.Sprintf("%s more energy, %s", percent(-f.Saved), f.lost())
	}
	return fmt.Sprintf("%s of the energy saved, %s", percent(f.Saved), f.lost())
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
	return percent(f.Lost) + " more time"
}

func percent(x float64) string {
	if math.Abs(x) < unnoticed/2 {
		x = 0
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}
