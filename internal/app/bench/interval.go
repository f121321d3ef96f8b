package bench

import (
	"encoding/json"
	"math"

	"github.com/ebb-energy/ebb/internal/tolerance"
)

// confidence is the probability with which an interval holds the truth.
const confidence = 0.95

// Interval is a relative difference with its confidence interval: 0.05 is 5 % more. With fewer than
// two rounds there is an estimate only, and Lo and Hi are NaN. The zero value with N = 0 is an
// unknown difference.
type Interval struct {
	Estimate, Lo, Hi float64
	N                int // number of rounds
}

// Known reports whether there is an estimate.
func (i Interval) Known() bool { return i.N > 0 }

// bounded reports whether there is an interval around the estimate.
func (i Interval) bounded() bool { return i.N > 1 && !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// zero reports whether the interval holds "no difference": the rounds cannot show one.
func (i Interval) zero() bool { return !i.bounded() || (i.Lo <= 0 && i.Hi >= 0) }

// MarshalJSON writes null for an unknown difference.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Known() {
		return []byte("null"), nil
	}
	v := struct {
		Estimate float64  `json:"estimate"`
		Lo       *float64 `json:"lo"`
		Hi       *float64 `json:"hi"`
		N        int      `json:"rounds"`
	}{Estimate: i.Estimate, N: i.N}
	if i.bounded() {
		v.Lo, v.Hi = &i.Lo, &i.Hi
	}
	return json.Marshal(v)
}

// Ratio returns the interval of exp(mean of logs) - 1, by Student's t.
func Ratio(logs []float64) Interval {
	n := len(logs)
	if n == 0 {
		return Interval{}
	}
	mean, err := meanError(logs)
	i := Interval{Estimate: math.Expm1(mean), Lo: math.NaN(), Hi: math.NaN(), N: n}
	if n > 1 {
		h := err * tolerance.Student(1-confidence, float64(n-1))
		i.Lo, i.Hi = math.Expm1(mean-h), math.Expm1(mean+h)
	}
	return i
}

// RatioAtAnyTime returns by how much the second values of pairs of logarithms are above the first,
// for a caller who looks after each round and stops when it is decided: all intervals of a row of
// rounds hold at once (tolerance.Shift). hidden is the number of rounds that are not among them,
// which the bounds allow for. It has no bounds in the first few.
func RatioAtAnyTime(logs [][2]float64, hidden int) Interval {
	if len(logs) == 0 {
		return Interval{}
	}
	middle, lo, hi := tolerance.Shift(1-confidence, logs, hidden)
	return Interval{math.Expm1(middle), math.Expm1(lo), math.Expm1(hi), len(logs)}
}

// meanError returns the mean and its standard error; the error of fewer than two values is unknown.
func meanError(v []float64) (mean, err float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x
	}
	mean /= n
	if len(v) < 2 {
		return mean, math.NaN()
	}
	sum := 0.0
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sum / (n - 1) / n)
}

// surelyBelow reports whether the mean of v is below limit. Its chance of a wrong yes is the chance
// of Student's t, with one degree of freedom less than there are values, to exceed t.
func surelyBelow(v []float64, limit, t float64) bool {
	mean, err := meanError(v)
	return mean+err*t < limit // never for fewer than two values, whose error is not a number
}

// differences returns a - b, round by round.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}
