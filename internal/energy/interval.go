package energy

import "math"

// z95 is the standard normal quantile of a two-sided 95 % interval.
const z95 = 1.959963984540054

// Part is one thread's part of a share.
type Part struct {
	Own, All float64 // amount that counts for the share, and all that the thread has
	Squares  float64 // sum of the squares of its samples' weights
}

// Interval returns the 95 % interval of a share of what several threads have. Each thread is
// sampled separately; each thread's total is exact.
//
// It is Wilson's interval. Its number of samples is that of independent samples of equal weight
// with the variance of the threads' parts together. A thread that spends all or nothing on the
// share adds no variance. Few samples of a thread seldom show both, so each thread's own share is
// shrunk towards the share over all threads, with the weight of two standard deviations squared
// (after Agresti and Coull). Samples of a thread that stays long in one method vary less than
// independent ones, so the interval is rather too wide.
func Interval(parts []Part) (lo, hi float64) {
	var own, all, squares, within float64
	for _, t := range parts {
		own += t.Own
		all += t.All
		squares += t.Squares
	}
	if !(all > 0) {
		return 0, 1
	}
	const z2 = z95 * z95
	p := min(max(own/all, 0), 1)
	if !(squares > 0) {
		return p, p // no thread was sampled
	}
	for _, t := range parts {
		if t.All > 0 && t.Squares > 0 {
			n := t.All * t.All / t.Squares
			q := (n*min(max(t.Own/t.All, 0), 1) + z2*p) / (n + z2)
			within += t.Squares * q * (1 - q)
		}
	}
	n := all * all / squares
	if within > 0 {
		n = max(n, all*all*p*(1-p)/within)
	}
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	if lo, hi = max(centre-half, 0), min(centre+half, 1); p == 0 {
		lo = 0 // exactly 0, without an error of rounding
	} else if p == 1 {
		hi = 1
	}
	return lo, hi
}
