// Package tolerance states the tolerances of statistical tests as probabilities: how far chance
// alone takes a figure, except with the probability that the test may fail though nothing is wrong.
package tolerance

import (
	"fmt"
	"math"
)

// FalseAlarm is the probability with which a test whose numbers are new in every run may fail by
// chance: one in a million.
const FalseAlarm = 1e-6

// Deviations is the number of standard deviations that a normal variable is off, to either side,
// with probability p.
func Deviations(p float64) float64 {
	check(p)
	return math.Sqrt2 * math.Erfcinv(p)
}

// Count is the range of a count of n independent draws that each hit with probability share: it is
// below least with probability p/2 at most, and above most with p/2 at most. The range is the exact
// binomial distribution's.
func Count(n int, share, p float64) (least, most int) {
	check(p)
	if n <= 0 || share < 0 || share > 1 {
		panic(fmt.Sprintf("tolerance: %d draws with a share of %v", n, share))
	}
	return lowest(n, share, p/2), n - lowest(n, 1-share, p/2)
}

// lowest returns the largest k such that a count is below k with probability tail at most.
func lowest(n int, share, tail float64) int {
	below := 0.0
	for k := range n {
		if below += binomial(n, k, share); below > tail {
			return k
		}
	}
	return n
}

// binomial returns the probability of k hits in n draws.
func binomial(n, k int, share float64) float64 {
	if share == 0 || share == 1 {
		if (share == 0) == (k == 0) && (share == 0 || k == n) {
			return 1
		}
		return 0
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(share) + float64(n-k)*math.Log1p(-share))
}

// Share returns the distance, to either side, that a share of n independent draws may be off: the
// larger of Count's two distances.
func Share(n int, share, p float64) float64 {
	least, most := Count(n, share, p)
	return max(share-float64(least)/float64(n), float64(most)/float64(n)-share)
}

func check(p float64) {
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("tolerance: %v is no probability of an error", p))
	}
}
