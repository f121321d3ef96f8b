package powermodel

import (
	"math"
	"slices"
)

// features are the learners' inputs: the columns, scaled and clipped to their trained range, and
// the busy share of the CPUs, whole and up to some levels. Parts that draw more the more they work
// have weights of zero or more on all of these; a sum of them is concave in the busy share, like
// the power of a processor whose shared parts wake first.
type features struct {
	columns   []int     // the inputs that vary in training
	low, high []float64 // by column: its trained range, without its outermost part
	busy      []int     // columns that sum up to the busy share
	most      float64   // the highest busy share in training
	ratios    []ratio   // not nil: these alone are the features
}

// levels are busy shares, as parts of the highest, up to which a feature of its own counts.
var levels = []float64{0.05, 0.15, 0.3, 0.5, 0.75}

// outermost is the part of the trained values of an input that is left out of its range at each
// end: a spike is no range.
const outermost = 0.001

func newFeatures(t *Table, rows []int) *features {
	f := &features{}
	values := make([]float64, len(rows))
	for k, c := range t.Columns {
		for i, r := range rows {
			values[i] = c[r]
		}
		low, high := trimmed(values)
		if high <= low {
			continue
		}
		f.columns = append(f.columns, k)
		f.low, f.high = append(f.low, low), append(f.high, high)
		if busyShares(t.Inputs[k]) {
			f.busy = append(f.busy, k)
		}
	}
	values = make([]float64, len(t.Columns))
	for _, r := range rows {
		t.row(r, values)
		f.most = max(f.most, f.busyShare(values))
	}
	return f
}

// trimmed returns the range of values without its outermost part. It sorts them.
func trimmed(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	last := float64(len(values) - 1)
	return values[int(outermost*last)], values[int(math.Ceil((1-outermost)*last))]
}

func (f *features) busyShare(values []float64) float64 {
	sum := 0.0
	for _, k := range f.busy {
		sum += values[k]
	}
	return sum
}

func (f *features) count() int {
	if f.ratios != nil {
		return len(f.ratios)
	}
	n := len(f.columns)
	if len(f.busy) > 0 {
		n += 1 + len(levels)
	}
	return n
}

// ofBusyTime reports for each feature whether it grows with busy time of some kind.
func (f *features) ofBusyTime(inputs []string) []bool {
	out := make([]bool, f.count())
	for i := range out {
		out[i] = i >= len(f.columns) || busyTimes(inputs[f.columns[i]])
	}
	return out
}

// of fills in the features of an interval's inputs, each between 0 and 1. An input that is missing
// (NaN) counts as the lowest that was trained on, a missing busy share as 0.
func (f *features) of(values, out []float64) {
	if f.ratios != nil {
		for i := range f.ratios {
			out[i] = f.ratios[i].scaled(values)
		}
		return
	}
	for i, k := range f.columns {
		x := min(max(known(values[k], f.low[i]), f.low[i]), f.high[i])
		out[i] = (x - f.low[i]) / (f.high[i] - f.low[i])
	}
	if len(f.busy) == 0 {
		return
	}
	busy := min(max(known(f.busyShare(values)/f.most, 0), 0), 1)
	rest := out[len(f.columns):]
	rest[0] = busy
	for i, l := range levels {
		rest[i+1] = min(busy, l) / l
	}
}

func known(x, otherwise float64) float64 {
	if math.IsNaN(x) {
		return otherwise
	}
	return x
}

// matrix returns the features of rows, by feature, then by row.
func (f *features) matrix(t *Table, rows []int) [][]float64 {
	m := make([][]float64, f.count())
	for i := range m {
		m[i] = make([]float64, len(rows))
	}
	one, values := make([]float64, f.count()), make([]float64, len(t.Columns))
	for j, r := range rows {
		t.row(r, values)
		f.of(values, one)
		for i := range one {
			m[i][j] = one[i]
		}
	}
	return m
}
