package powermodel

import "math"

// formula is what a learner makes: a line over the features, trees, or both. The power is their
// sum, clipped to low and high.
type formula struct {
	features  *features
	line      *ridge  // nil: no line
	forest    *forest // nil: no trees
	raw       bool    // the trees see the inputs as they are, and not the features
	low, high float64 // W
}

// predict returns the power of an interval with these inputs, in W.
func (f *formula) predict(values []float64) float64 {
	x := make([]float64, f.features.count())
	f.features.of(values, x)
	sum := 0.0
	if f.line != nil {
		sum = f.line.predict(x)
	}
	if f.forest != nil {
		if f.raw {
			x = values
		}
		sum += f.forest.predict(x)
	}
	return min(max(sum, f.low), f.high)
}

// of returns the predicted power of a table's row, in W.
func (f *formula) of(t *Table, row int) float64 {
	values := make([]float64, len(t.Columns))
	t.row(row, values)
	return f.predict(values)
}

// margin is the part of its range's width by which an input may leave its trained range and not
// count as outside. The range leaves out the outermost values that were trained on.
const margin = 0.1

// outside reports whether an input is missing or lies outside its trained range by more than
// margin.
func (f *formula) outside(values []float64) bool {
	for i := range f.features.columns {
		if f.features.beyond(i, values) {
			return true
		}
	}
	return false
}

// distance returns how far the inputs lie outside the trained ranges: the sum of what each is
// beyond its range, in parts of the range's width. A missing one is a whole width beyond.
func (f *formula) distance(values []float64) (sum float64) {
	features := f.features
	for i, k := range features.columns {
		x := values[k]
		switch beyond := max(features.low[i]-x, x-features.high[i]); {
		case math.IsNaN(x):
			sum++
		case beyond > 0:
			sum += beyond / (features.high[i] - features.low[i])
		}
	}
	return sum
}

// beyond reports whether the input of column i is missing or outside its trained range by more than
// margin.
func (f *features) beyond(i int, values []float64) bool {
	room, x := margin*(f.high[i]-f.low[i]), values[f.columns[i]]
	return !(x >= f.low[i]-room && x <= f.high[i]+room)
}
