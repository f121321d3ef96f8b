package tolerance

import (
	"math"
	"sort"
)

// Always bounds the median that n values are drawn around, at any n at all: counted from 1, the
// median lies between the k-th smallest and the k-th greatest of them. The chance that it does not
// at any one of all the n of a growing row is p at most. So one may look after each value and stop
// when one likes, where Student holds for a number of values that is set before. It is 0 for the
// first few values, which bound nothing.
//
// The values may be of any distribution, and the rarely far ones of a busy machine hardly widen the
// bounds. Of n values s are below the median as of n fair throws. With an unfair chance that is
// anything between 0 and 1 as likely, what came is so many times as likely:
//
//	2^n B(1+s, 1+n-s)
//
// Under fair throws that ever reaches 1/p with probability p at most (Ville 1939; Robbins 1970).
func Always(p float64, n int) (k int) {
	check(p)
	logBeta := func(a, b float64) float64 {
		x, _ := math.Lgamma(a)
		y, _ := math.Lgamma(b)
		z, _ := math.Lgamma(a + b)
		return x + y - z
	}
	return sort.Search(n/2, func(s int) bool {
		return float64(n)*math.Ln2+logBeta(float64(1+s), float64(1+n-s)) < -math.Log(p)
	})
}
