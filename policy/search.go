package policy

import "math/bits"

// lowest finds the lowest state whose predicted duration is at most limit, and returns its index
// and that duration. The highest state's is known to be longest, and taken to fit.
//
// Durations fall with frequency, so this is bisection: n states need ceil(log2 n) predictions, 5
// for 25. Within that number it first tries whether the answer is still what it was at the last
// decision, guess: then it mostly needs three or four. A state is returned only if its own
// prediction fits, also where a model's durations do not quite fall.
func lowest(s states, p Predicted, longest, limit float64, guess int) (int, float64) {
	lo, hi, t := -1, len(s)-1, longest // lo is too slow or no state, hi fits
	for left := bits.Len(uint(hi - lo - 1)); hi-lo > 1; left-- {
		i := lo + (hi-lo)/2
		if lo < guess && guess < hi {
			i = guess
		} else if guess == hi {
			i = hi - 1
		}
		// After this prediction left-1 remain, which tell 2^(left-1) states apart.
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
