package policy

import (
	"math/bits"
)

// Lowest finds the lowest state whose predicted duration is at most limit. It returns the state's
// index and that duration. The highest state's duration is longest, which the caller knows; that
// state always fits.
//
// Durations fall with frequency, so this is bisection: n states need ceil(log2 n) predictions, 5
// for 25. Within that number it first tries guess, the answer of the last decision. If that is
// still right, three or four mostly suffice. A state is returned only if its own prediction fits,
// also where a model's durations do not quite fall.
func (s states) Lowest(
	p Predictions, longest, limit float64, guess int,
) (index int, duration float64) {
	lo, hi, t := -1, len(s)-1, longest // lo is too slow or -1, hi fits
	for left := bits.Len(uint(hi - lo - 1)); hi-lo > 1; left-- {
		i := lo + (hi-lo)/2
		if lo < guess && guess < hi {
			i = guess
		} else if guess == hi {
			i = hi - 1
		}
		// After this prediction left-1 remain, which separate 2^(left-1) states.
		half := 1 << (left - 1)
		i = min(max(i, hi-half), lo+half)
		if d := p.Duration(s[i]); d <= limit {
			hi, t = i, d
		} else {
			lo = i
		}
	}
	return hi, t
}

// Reason returns the reason to choose state i within a budget; beyond means that it is slower than
// the budget alone allows.
func (s states) Reason(i int, beyond bool) Reason {
	switch {
	case beyond:
		return ReasonCarry
	case i == len(s)-1:
		return ReasonHighest
	case i == 0:
		return ReasonLowest
	}
	return ReasonBudget
}
