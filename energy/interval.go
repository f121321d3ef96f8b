package energy

import "math"

// z95 is the standard normal quantile of a two-sided 95 % interval.
const z95 = 1.959963984540054

// Interval is the 95 % interval of a share that was estimated from weighted samples: own is the sum of the weights of the
// samples that belong to it, all that of all, squares the sum of all weights' squares.
//
// It is Wilson's interval with all^2/squares samples, the number of equal ones with the same variance (Kish). Samples of
// a thread that stays long in one method are less random than independent ones, so that the interval is rather too wide.
func Interval(own, all, squares float64) (lo, hi float64) {
	if !(all > 0) || !(squares > 0) {
		return 0, 1
	}
	n := all * all / squares
	p := min(max(own/all, 0), 1)
	const z2 = z95 * z95
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return max(centre-half, 0), min(centre+half, 1)
}
