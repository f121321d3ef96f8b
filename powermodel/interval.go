package powermodel

import (
	"math"

	"github.com/ebb-energy/ebb/internal/tolerance"
)

// Interval is what a prediction may be wrong by for a program that was not trained on.
type Interval struct {
	Confidence float64 `json:"confidence"` // the share of intervals that are to lie inside
	Programs   int     `json:"programs"`   // that were left out in turn
	// Scale times the root of the predicted power, both in W, is the half width: a busy machine is
	// missed by more watts than an idle one, and by a smaller part.
	Scale float64 `json:"scale_sqrt_w"`
	// Freedom is the number of degrees of freedom of Student's t that Scale contains.
	Freedom float64 `json:"freedom"`
	// HalfWidth is the half width on average over the programs left out, as a part of the
	// prediction.
	HalfWidth float64 `json:"half_width"`
}

// confidence is the share of intervals that are to lie inside theirs.
const confidence = 0.9

// outsideFactor widens the interval where an input lies outside its trained range. It is small, as
// the distance to the trained inputs says little of the error.
const outsideFactor = 1.1

// halfWidth is the interval's around a prediction, in W.
func (i *Interval) halfWidth(power float64, outside bool) float64 {
	half := i.Scale * math.Sqrt(max(power, 0))
	if outside {
		half *= outsideFactor
	}
	return half
}

// miss is the error of a model on a program that it has not seen: the mean, and the variance
// around it, of the errors divided by the roots of the predictions.
type miss struct{ bias, variance float64 }

func missOf(t *Table, program int, m *formula) (out miss) {
	var all []float64
	for _, r := range t.of(func(o int) bool { return o == program }) {
		w := m.of(t, r)
		e := (w - t.Power[r]) / math.Sqrt(w)
		all = append(all, e)
		out.bias += e
	}
	out.bias /= float64(len(all))
	for _, e := range all {
		out.variance += (e - out.bias) * (e - out.bias) / float64(len(all))
	}
	return out
}

// intervalOf takes programs for a sample of all programs: each has a bias of its own, around zero,
// and its intervals scatter around that. The biases are few, so their variance is itself uncertain.
// Student's t with the degrees of freedom of the sum (Satterthwaite, "An approximate distribution
// of estimates of variance components", 1946) allows for that.
func intervalOf(programs []miss) *Interval {
	n := float64(len(programs))
	between, within := 0.0, 0.0
	for _, p := range programs {
		between += p.bias * p.bias / n
		within += p.variance / n
	}
	sum := between + within
	freedom := n
	if between > 0 {
		freedom = n * (sum / between) * (sum / between)
	}
	return &Interval{Confidence: confidence, Programs: len(programs),
		Scale: math.Sqrt(sum) * tolerance.Student(1-confidence, freedom), Freedom: freedom}
}

// at is the interval of another confidence.
func (i Interval) at(confidence float64) *Interval {
	was := tolerance.Student(1-i.Confidence, i.Freedom)
	i.Scale *= tolerance.Student(1-confidence, i.Freedom) / was
	i.Confidence = confidence
	return &i
}
