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
	low, high []float64 // their trained range, without its outermost part
	busy      []int     // columns that sum up to the busy share
	most      float64   // the highest busy share in training
}

// Bounds of the busy share up to which a feature of its own counts it, as parts of the highest.
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
		slices.Sort(values)
		last := float64(len(values) - 1)
		low, high := values[int(outermost*last)], values[int(math.Ceil((1-outermost)*last))]
		if high <= low {
			continue
		}
		f.columns = append(f.columns, k)
		f.low, f.high = append(f.low, low), append(f.high, high)
		if busyShares.MatchString(t.Inputs[k]) {
			f.busy = append(f.busy, k)
		}
	}
	for _, r := range rows {
		f.most = max(f.most, f.busyShare(t, r))
	}
	return f
}

func (f *features) busyShare(t *Table, row int) float64 {
	sum := 0.0
	for _, k := range f.busy {
		sum += t.Columns[k][row]
	}
	return sum
}

func (f *features) count() int {
	n := len(f.columns)
	if len(f.busy) > 0 {
		n += 1 + len(levels)
	}
	return n
}

// of fills in the features of a row, each between 0 and 1.
func (f *features) of(t *Table, row int, out []float64) {
	for i, k := range f.columns {
		x := min(max(t.Columns[k][row], f.low[i]), f.high[i])
		out[i] = (x - f.low[i]) / (f.high[i] - f.low[i])
	}
	if len(f.busy) == 0 {
		return
	}
	busy := min(f.busyShare(t, row)/f.most, 1)
	rest := out[len(f.columns):]
	rest[0] = busy
	for i, l := range levels {
		rest[i+1] = min(busy, l) / l
	}
}

// matrix has the features of rows, by feature, then by row.
func (f *features) matrix(t *Table, rows []int) [][]float64 {
	m := make([][]float64, f.count())
	for i := range m {
		m[i] = make([]float64, len(rows))
	}
	one := make([]float64, f.count())
	for j, r := range rows {
		f.of(t, r, one)
		for i := range one {
			m[i][j] = one[i]
		}
	}
	return m
}
