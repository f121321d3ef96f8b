package powermodel

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/ebb-energy/ebb/internal/tolerance"
)

// Interval says how wrong a prediction may be for a program that was not trained on.
type Interval struct {
	Confidence float64 `json:"confidence"` // share of intervals that are to lie inside
	Programs   int     `json:"programs"`   // number of programs left out in turn
	// Scale times the root of the predicted power, both in W, is the half width: a busy machine is
	// missed by more watts than an idle one, and by a smaller part.
	Scale float64 `json:"scale_sqrt_w"`
	// Freedom is the number of degrees of freedom of the Student's t by which a program unlike the
	// trained ones is in Scale.
	Freedom float64 `json:"freedom"`
	// HalfWidth is the half width on average over the programs left out, as a part of the
	// prediction.
	HalfWidth float64 `json:"half_width"`
}

// confidence is the share of intervals that are to lie inside theirs.
const confidence = 0.9

// widening is the part by which the interval is wider at each doubling of one and the distance. It
// is small, as the distance to the trained inputs says little of the error, and the interval grows
// ever slower, as a prediction is clipped to the trained ranges.
const widening = 0.1

// halfWidth returns half of the interval's width around a prediction, in W. Distance is the inputs'
// distance from the trained ranges (formula.distance).
func (i *Interval) halfWidth(power, distance float64) float64 {
	return i.Scale * math.Sqrt(max(power, 0)) * (1 + widening*math.Log2(1+distance))
}

// miss is the error of a model on a program that it has not seen: by row, divided by the half width
// of an interval whose scale is one. There are no more rows of a program than it is trained on.
type miss []float64

func missOf(t *Table, program int, m *formula) (out miss) {
	unit := Interval{Scale: 1}
	values := make([]float64, len(t.Columns))
	for _, r := range thin(t, t.of(func(o int) bool { return o == program })) {
		t.row(r, values)
		w := m.predict(values)
		out = append(out, (w-t.Power[r])/unit.halfWidth(w, m.distance(values)))
	}
	return out
}

// moments returns the mean of the errors, and the variance around it.
func (m miss) moments() (bias, variance float64) {
	n := float64(len(m))
	for _, e := range m {
		bias += e / n
	}
	for _, e := range m {
		variance += (e - bias) * (e - bias) / n
	}
	return bias, variance
}

// spread is the distribution of the next program's errors. The programs left out are a sample of
// all programs, and the next one is as likely to lie anywhere among them as beyond: as in conformal
// prediction, each of n programs has a share of 1/(n+1), within it its rows alike, and a program
// like none of them has the last. There conformal prediction knows nothing and says infinity. Here
// that share has the form of a program whose bias is drawn around zero with the variance of the
// others' biases, and whose rows scatter like theirs: Student's t, as the biases are few.
type spread struct {
	programs           int
	errors             []float64 // errors of all rows, without signs, ascending
	beyond             []float64 // the share of the programs that lies above errors[i]
	deviation, freedom float64
}

// spreadOf returns the spread of programs' errors. The degrees of freedom of the sum of both
// variances are those of Satterthwaite, "An approximate distribution of estimates of variance
// components" (1946).
func spreadOf(programs []miss) *spread {
	type weighed struct{ size, weight float64 }
	var all []weighed
	n := float64(len(programs))
	between, within := 0.0, 0.0
	for _, m := range programs {
		bias, variance := m.moments()
		between += bias * bias / n
		within += variance / n
		for _, e := range m {
			all = append(all, weighed{math.Abs(e), 1 / (n * float64(len(m)))})
		}
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.size, b.size) })
	s := &spread{programs: len(programs), errors: make([]float64, len(all)),
		beyond: make([]float64, len(all)), deviation: math.Sqrt(between + within), freedom: n}
	above := 0.0
	for i := len(all) - 1; i >= 0; i-- {
		s.errors[i], s.beyond[i] = all[i].size, above
		above += all[i].weight
	}
	if between > 0 {
		s.freedom = n * ((between + within) / between) * ((between + within) / between)
	}
	return s
}

// outside returns the chance that the next program's error is larger than half.
func (s *spread) outside(half float64) float64 {
	known, unlike := 1.0, 0.0
	if i := sort.Search(len(s.errors), func(i int) bool { return s.errors[i] > half }); i > 0 {
		known = s.beyond[i-1]
	}
	if s.deviation > 0 {
		unlike = tolerance.StudentBeyond(half/s.deviation, s.freedom)
	}
	return (float64(s.programs)*known + unlike) / float64(s.programs+1)
}

// interval returns the interval that holds the next program's error with the given confidence.
func (s *spread) interval(confidence float64) *Interval {
	low, high := 0.0, s.deviation
	for s.deviation > 0 && s.outside(high) > 1-confidence {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; s.outside(mid) > 1-confidence {
			low = mid
		} else {
			high = mid
		}
	}
	return &Interval{Confidence: confidence, Programs: s.programs, Scale: high,
		Freedom: s.freedom}
}
