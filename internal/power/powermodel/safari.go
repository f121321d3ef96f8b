package powermodel

import (
	"errors"
	"math"
	"slices"
)

// safari is SAFARI's model: an ordinary line over five inputs (sections III and IV of its paper).
// Inputs that a table lacks are left out, as the paper has it where counters are few.
var safari = Learner{Name: "safari", fit: fitSafari, choose: chooseSafari}

// ratio is an input made of columns: the sum of some over the sum of others.
type ratio struct {
	name      string
	of, by    []int   // places of columns; by is empty for a plain sum
	low, high float64 // its trained range, without its outermost part
}

func (r *ratio) value(values []float64) float64 {
	sum := 0.0
	for _, k := range r.of {
		sum += values[k]
	}
	if len(r.by) == 0 {
		return sum
	}
	over := 0.0
	for _, k := range r.by {
		over += values[k]
	}
	return sum / over
}

// scaled returns the value's place in the trained range, from 0 to 1.
func (r *ratio) scaled(values []float64) float64 {
	x := min(max(known(r.value(values), r.low), r.low), r.high)
	return (x - r.low) / (r.high - r.low)
}

// safariInputs are SAFARI's five, by the names that Ganglia, collectd and perf give the columns.
var safariInputs = []struct {
	name   string
	of, by func(column string) bool
}{
	{"utilisation", busyShares, nil},
	{"cache misses", pattern(`^(LLC-load-misses|cache[-_]misses)$`),
		pattern(`^(LLC-loads|cache[-_]references)$`)},
	{"context switches", pattern(`^(contexts|context[-_]switches|ctxt)$`), nil},
	{"instructions per cycle", pattern(`^instructions$`),
		pattern(`^(cpu[-_])?cycles$`)},
	{"clock", pattern(`^(cpu[-_]?freq|clock|frequency)(_hz|_mhz|_ghz)?$`), nil},
}

// safariRatios returns those of SAFARI's five ratios whose columns a table has.
func safariRatios(names []string) (out []ratio) {
	matching := func(r func(string) bool) (columns []int) {
		for k, name := range names {
			if r != nil && r(name) {
				columns = append(columns, k)
			}
		}
		return columns
	}
	for _, in := range safariInputs {
		q := ratio{name: in.name, of: matching(in.of), by: matching(in.by)}
		if len(q.of) > 0 && (in.by == nil || len(q.by) > 0) {
			out = append(out, q)
		}
	}
	return out
}

// chooseSafari returns the columns that SAFARI's inputs are made of.
func chooseSafari(names []string) (columns []int, err error) {
	ratios := safariRatios(names)
	if len(ratios) == 0 || ratios[0].name != safariInputs[0].name {
		return nil, errors.New("no column has the CPUs' busy time, which SAFARI's model needs")
	}
	for k := range names {
		if slices.ContainsFunc(ratios, func(q ratio) bool {
			return slices.Contains(q.of, k) || slices.Contains(q.by, k)
		}) {
			columns = append(columns, k)
		}
	}
	return columns, nil
}

// safariPenalty is so small that it only decides between inputs that say the same.
const safariPenalty = 1e-6

func fitSafari(t *Table, rows []int) *formula {
	f := newFeatures(t, rows)
	f.busy, f.most, f.ratios = nil, 0, []ratio{}
	values, all := make([]float64, len(t.Columns)), make([]float64, len(rows))
	for _, q := range safariRatios(t.Inputs) {
		for i, r := range rows {
			t.row(r, values)
			all[i] = q.value(values)
		}
		known := slices.DeleteFunc(slices.Clone(all), func(x float64) bool {
			return math.IsNaN(x) || math.IsInf(x, 0)
		})
		if q.low, q.high = trimmed(known); q.high > q.low {
			f.ratios = append(f.ratios, q)
		}
	}
	return &formula{features: f, line: fitLeastSquares(f.matrix(t, rows), powerOf(t, rows),
		equalWeights(t, rows), safariPenalty)}
}
