package policy

// likeness learns how much one quantum says about the next: the correlation of neighbours. In
// programs with long phases it is almost 1. Where quanta differ at random it is 0, and the mean of
// the past is the better forecast.
type likeness struct {
	n                    float64 // number of pairs of neighbours, the older ones counting less
	sum, square, product float64 // sums over the pairs: of the mean value, mean square, and product
	last                 float64 // the value entered last
	any                  bool    // there is a last value
}

// alikePairs is the number of fully alike pairs of neighbours that likeness assumes before the
// first.
const alikePairs = 4

// leastVariance is the variance below which all values count as the same.
const leastVariance = 1e-9

// add enters a quantum's value. Earlier pairs count less, by the factor keep.
func (l *likeness) add(x, keep float64) {
	if l.any {
		l.n = float64(l.n*keep) + 1
		l.sum = float64(l.sum*keep) + (x+l.last)/2
		l.square = float64(l.square*keep) + (float64(x*x)+float64(l.last*l.last))/2
		l.product = float64(l.product*keep) + float64(x*l.last)
	}
	l.last, l.any = x, true
}

// weight returns the share of the last quantum in the forecast, 0 to 1; the rest is the mean.
func (l *likeness) weight() float64 {
	if l.n == 0 {
		return 1
	}
	mean := l.sum / l.n
	variance := l.square/l.n - mean*mean
	if !(variance > leastVariance) {
		return 1
	}
	r := min(max((l.product/l.n-mean*mean)/variance, 0), 1)
	return (float64(r*l.n) + alikePairs) / (l.n + alikePairs)
}
