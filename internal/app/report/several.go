package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/tolerance"
)

// confidence is the probability with which an interval holds the mean of many more runs.
const confidence = 0.95

// Quantity is one figure of several runs, or one unit's energy.
type Quantity struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"` // by run
	Mean   float64   `json:"mean"`
	// Low and High are the ends of the mean's 95 % interval by Student's t. Deviation is the
	// standard deviation of the runs. All are null with one run.
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Deviation *float64 `json:"deviation"`
}

func newQuantity(name, unit string, values []float64) Quantity {
	q := Quantity{Name: name, Unit: unit, Values: values}
	n := float64(len(values))
	for _, v := range values {
		q.Mean += v / n
	}
	if len(values) > 1 {
		sum := 0.0
		for _, v := range values {
			sum += (v - q.Mean) * (v - q.Mean)
		}
		d := math.Sqrt(sum / (n - 1))
		h := d / math.Sqrt(n) * tolerance.Student(1-confidence, n-1)
		low, high := q.Mean-h, q.Mean+h
		q.Deviation, q.Low, q.High = &d, &low, &high
	}
	return q
}

// Figures returns the quantities that all runs have.
func Figures(runs []*Report) (out []Quantity) {
	for _, f := range runs[0].Figures() {
		var values []float64
		for _, r := range runs {
			all := r.Figures()
			same := func(x Figure) bool { return x.Name == f.Name }
			if i := slices.IndexFunc(all, same); i >= 0 {
				values = append(values, all[i].Value)
			}
		}
		if len(values) == len(runs) {
			out = append(out, newQuantity(f.Name, f.Unit, values))
		}
	}
	return out
}

// Units returns the units' energies by run, the largest mean first. A unit that a run does not have
// used nothing there.
func Units(rows [][]profile.Row) (out []Quantity) {
	values := map[string][]float64{}
	for i, run := range rows {
		for _, r := range run {
			if values[r.Unit] == nil {
				values[r.Unit] = make([]float64, len(rows))
			}
			values[r.Unit][i] += float64(r.Energy) / 1e9
		}
	}
	for unit, v := range values {
		out = append(out, newQuantity(unit, "J", v))
	}
	slices.SortFunc(out, byMean)
	return out
}

// Change is a quantity in two groups of runs.
type Change struct {
	Before Quantity `json:"before"`
	After  Quantity `json:"after"`
	// Low and High are the ends of the 95 % interval of the difference by Welch's t; null where a
	// group has one run.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// difference returns the difference of the means.
func (c *Change) difference() float64 { return c.After.Mean - c.Before.Mean }

// shown reports whether chance is an unlikely reason: the interval does not hold zero.
func (c *Change) shown() bool { return c.Low != nil && (*c.Low > 0 || *c.High < 0) }

// Compare pairs the quantities of two groups by their names, in the order of the later group. A
// quantity that one group lacks is left out.
func Compare(before, after []Quantity) (out []Change) {
	for i := range after {
		same := func(q Quantity) bool { return q.Name == after[i].Name }
		if j := slices.IndexFunc(before, same); j >= 0 {
			out = append(out, newChange(before[j], after[i]))
		}
	}
	return out
}

// CompareUnits compares units, the largest change first. A unit that one group lacks used
// nothing there.
func CompareUnits(before, after []Quantity) []Change {
	if len(before) > 0 && len(after) > 0 && before[0].Unit != after[0].Unit {
		return nil // one has energy and the other CPU time
	}
	before, after = filled(before, after), filled(after, before)
	out := Compare(before, after)
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(math.Abs(b.difference()), math.Abs(a.difference())),
			cmp.Compare(a.After.Name, b.After.Name))
	})
	return out
}

// filled returns all, with the quantities that only others have added at zero.
func filled(all, others []Quantity) []Quantity {
	if len(all) == 0 {
		return nil
	}
	out, runs := slices.Clone(all), len(all[0].Values)
	for _, q := range others {
		if !slices.ContainsFunc(all, func(x Quantity) bool { return x.Name == q.Name }) {
			out = append(out, newQuantity(q.Name, q.Unit, make([]float64, runs)))
		}
	}
	return out
}

func newChange(before, after Quantity) Change {
	c := Change{Before: before, After: after}
	if before.Deviation == nil || after.Deviation == nil {
		return c
	}
	part := func(q *Quantity) (variance, freedom float64) {
		n := float64(len(q.Values))
		return *q.Deviation * *q.Deviation / n, n - 1
	}
	a, da := part(&before)
	b, db := part(&after)
	h := 0.0
	if a+b > 0 {
		freedom := (a + b) * (a + b) / (a*a/da + b*b/db)
		h = math.Sqrt(a+b) * tolerance.Student(1-confidence, freedom)
	}
	low, high := c.difference()-h, c.difference()+h
	c.Low, c.High = &low, &high
	return c
}
