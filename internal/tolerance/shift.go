package tolerance

import (
	"math"
	"slices"
	"sort"
)

// recent is the number of earlier pairs whose first values rank a pair's.
const recent = 50

// bets are the parts of what one has that are put on each pair, each with a third of the whole.
// Small ones win by a small shift in much noise, great ones by a clear shift in few pairs.
var bets = [...]float64{0.15, 0.45, 0.9}

// ranked is a pair with the first values of recent earlier pairs, sorted. rank is the first value's
// among them.
type ranked struct {
	second, rank float64
	before       []float64
}

// rank returns the share of values, which are sorted, that are below x. Of equal ones half are.
func rank(values []float64, x float64) float64 {
	below := sort.SearchFloat64s(values, x)
	equal := 0
	for below+equal < len(values) && values[below+equal] == x {
		equal++
	}
	return (float64(below) + float64(equal)/2) / float64(len(values))
}

// score is from -1 to 1 how much higher the second value less a shift ranks than the first. Half of
// all ranks is as much as all.
func (r *ranked) score(shift float64) float64 {
	return min(max(2*(rank(r.before, r.second-shift)-r.rank), -1), 1)
}

// Shift bounds by how much second values of pairs are above first ones, at any number of pairs. The
// chance that the shift is outside of the bounds after any one of them is p at most. So one may
// look after each pair and stop when one likes, where Student holds for a number of pairs that is
// set before. Bounds are NaN as long as there are none. middle is the shift at which second values
// rank as first ones.
//
// hidden is the number of further pairs whose values are not both known. Large values may be hidden
// on one side alone, which would bias the pairs that are known. So each hidden pair counts as the
// worst for either bound. The bounds then hold whatever hides values.
//
// It takes for granted that without the shift the two values of a pair could as well be exchanged,
// given all earlier pairs: that a coin decides which is measured first. Noise may be of any
// distribution, drift, and come in bursts. A value counts by its rank among the earlier first ones:
// a run beside a burst of other work is one of the slow ones, however slow it is.
//
// For a shift that is tried, one bets that scores are above 0, or below. If it is the shift, or
// beyond on the other side, the game is fair or worse, and what one has ever reaches 2/p times the
// stake with probability p/2 at most (Ville 1939; Waudby-Smith and Ramdas 2024).
func Shift(p float64, pairs [][2]float64, hidden int) (middle, lo, hi float64) {
	check(p)
	if len(pairs) < 2 {
		for _, x := range pairs {
			middle = x[1] - x[0]
		}
		return middle, math.NaN(), math.NaN()
	}
	rows, span := rankedAll(pairs)
	total := func(shift float64) (sum float64) {
		for i := range rows {
			sum += rows[i].score(shift)
		}
		return sum
	}
	beyond := func(shift, side float64) bool { return won(rows, hidden, shift, side) >= 2/p }
	middle = (last(span, func(d float64) bool { return total(d) > 0 }) +
		last(span, func(d float64) bool { return total(d) >= 0 })) / 2
	if !beyond(-span, 1) || !beyond(span, -1) {
		return middle, math.NaN(), math.NaN()
	}
	lo = last(span, func(d float64) bool { return beyond(d, 1) })
	hi = -last(span, func(d float64) bool { return beyond(-d, -1) })
	return middle, lo, hi
}

// rankedAll returns all pairs but the first, which has none before it, and a shift that is beyond
// all values.
func rankedAll(pairs [][2]float64) (rows []ranked, span float64) {
	low, high := math.Inf(1), math.Inf(-1)
	var before []float64
	for i, x := range pairs {
		low, high = min(low, x[0], x[1]), max(high, x[0], x[1])
		if i > 0 {
			rows = append(rows, ranked{x[1], rank(before, x[0]), slices.Clone(before)})
		}
		if i >= recent {
			at, _ := slices.BinarySearch(before, pairs[i-recent][0])
			before = slices.Delete(before, at, at+1)
		}
		at, _ := slices.BinarySearch(before, x[0])
		before = slices.Insert(before, at, x[0])
	}
	return rows, high - low + 1
}

// won is what one has per stake who bets that scores have the sign of side. Bets on hidden pairs
// are lost.
func won(rows []ranked, hidden int, shift, side float64) (sum float64) {
	var have [len(bets)]float64
	for k, bet := range bets {
		have[k] = math.Pow(1-bet, float64(hidden))
	}
	for i := range rows {
		score := side * rows[i].score(shift)
		for k, bet := range bets {
			have[k] *= 1 + bet*score
		}
	}
	for _, h := range have {
		sum += h / float64(len(have))
	}
	return sum
}

// steps is the number of times that last halves a span: to one in 65,536.
const steps = 17

// last returns the greatest shift within a span that holds, where all smaller ones do.
func last(span float64, holds func(shift float64) bool) float64 {
	lo, hi := -span, span
	for range steps {
		if mid := (lo + hi) / 2; holds(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
