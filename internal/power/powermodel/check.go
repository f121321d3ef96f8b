package powermodel

import "math"

// Checked holds the errors of a model, as it is, on one program of a table.
type Checked struct {
	Program string
	Seen    bool // the model was trained on it
	Rows    int
	// Total is the error of its energy, Interval the mean of the absolute errors of its intervals,
	// both as parts of what was measured.
	Total, Interval float64
	// Held is the share of its intervals inside their 90 % interval, NaN where that is unknown.
	Held float64
	// Outside is the share of its intervals with an input outside the trained range.
	Outside float64
}

// Check compares a model with a table that has its inputs in its order.
func (m *Model) Check(t *Table) (out []Checked) {
	values := make([]float64, len(t.Columns))
	for p, name := range t.Programs {
		c := Checked{Program: name, Seen: m.Saw(name), Held: math.NaN()}
		if m.Interval != nil {
			c.Held = 0
		}
		measured, predicted := 0.0, 0.0
		for _, r := range t.of(func(q int) bool { return q == p }) {
			t.row(r, values)
			y, w := t.Power[r], m.Predict(values)
			measured, predicted = measured+y, predicted+w.Power
			c.Interval += math.Abs(w.Power-y) / y
			if y >= w.Low && y <= w.High {
				c.Held++
			}
			if w.Outside {
				c.Outside++
			}
			c.Rows++
		}
		n := float64(c.Rows)
		c.Total = predicted/measured - 1
		c.Interval, c.Held, c.Outside = c.Interval/n, c.Held/n, c.Outside/n
		out = append(out, c)
	}
	return out
}
