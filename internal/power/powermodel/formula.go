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
func (m *formula) predict(values []float64) float64 {
	x := make([]float64, m.features.count())
	m.features.of(values, x)
	sum := 0.0
	if m.line != nil {
		sum = m.line.predict(x)
	}
	if m.forest != nil {
		if m.raw {
			x = values
		}
		sum += m.forest.predict(x)
	}
	return min(max(sum, m.low), m.high)
}

// of returns the predicted power of a table's row, in W.
func (m *formula) of(t *Table, row int) float64 {
	values := make([]float64, len(t.Columns))
	t.row(row, values)
	return m.predict(values)
}

// margin is the part of its range's width by which an input may leave its trained range and not
// count as outside. The range leaves out the outermost values that were trained on.
const margin = 0.1

// outside reports whether an input is missing or lies outside its trained range by more than
// margin.
func (m *formula) outside(values []float64) bool {
	for i := range m.features.columns {
		if m.features.beyond(i, values) {
			return true
		}
	}
	return false
}

// distance returns how far the inputs lie outside the trained ranges: the sum of what each is
// beyond its range, in parts of the range's width. A missing one is a whole width beyond.
func (m *formula) distance(values []float64) (sum float64) {
	f := m.features
	for i, k := range f.columns {
		x := values[k]
		switch beyond := max(f.low[i]-x, x-f.high[i]); {
		case math.IsNaN(x):
			sum++
		case beyond > 0:
			sum += beyond / (f.high[i] - f.low[i])
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
