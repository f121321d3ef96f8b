package tolerance

import "math"

// Always is the number of standard errors that a mean of n values, whose errors are estimated from
// them, is off at any n at all: the chance that one of all the means of a growing row is ever off
// by more is p at most. So one may look after each value and stop when one likes, where Student
// holds for a number of values that is set before. It is infinite for the first few values.
//
// The bound is Ville's for the Bayes factor of a normal effect, as great as the values scatter, to
// none (Lai 1976; Wang and Ramdas, "Anytime-valid t-tests", 2024): with t errors and n values,
//
//	(1+n)^(-1/2) ((1 + t²/(n-1)) / (1 + t²/((n-1)(1+n))))^(n/2) = 1/p
func Always(p float64, n int) float64 {
	check(p)
	if n < 2 {
		return math.Inf(1)
	}
	a := 1 + float64(n)
	ratio := math.Exp(math.Log(a/(p*p)) / float64(n))
	if ratio >= a {
		return math.Inf(1)
	}
	return math.Sqrt(float64(n-1) * (ratio - 1) / (1 - ratio/a))
}
