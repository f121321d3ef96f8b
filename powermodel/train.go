package powermodel

import (
	"fmt"
	"math"
	"slices"
)

// Train makes a model of all of a table. It leaves each program out in turn to find out how far the
// model misses programs that it has not seen; with fewer than five programs that stays unknown. The
// provenance's programs and intervals are the table's.
func Train(t *Table, l Learner, from Provenance) (*Model, error) {
	if t.Rows() < minTrained {
		return nil, fmt.Errorf("%d intervals: at least %d are needed", t.Rows(), minTrained)
	}
	if len(t.Inputs) == 0 {
		return nil, fmt.Errorf("no input changes")
	}
	t, err := l.chosen(t)
	if err != nil {
		return nil, err
	}
	from.Programs, from.Intervals = slices.Clone(t.Programs), t.Rows()
	m := &Model{Learner: l.Name, Provenance: from,
		formula: l.train(t, t.of(func(int) bool { return true }))}
	for _, name := range t.Inputs {
		m.Inputs = append(m.Inputs, Input{name, math.NaN(), math.NaN()})
	}
	m.setRanges()
	if len(t.Programs) >= minPrograms {
		m.leaveOut(t, l)
	}
	return m, nil
}

// minTrained is the fewest intervals that a model is made of.
const minTrained = 120

// setRanges states the formula's ranges with the inputs.
func (m *Model) setRanges() {
	f := m.formula.features
	for i, k := range f.columns {
		m.Inputs[k].Low, m.Inputs[k].High = f.low[i], f.high[i]
	}
}

// leaveOut leaves each program out in turn, and sets the interval and the errors. The
// shares held are by the residuals of all programs, their own among these.
func (m *Model) leaveOut(t *Table, l Learner) {
	misses := make([]miss, len(t.Programs))
	fits := make([]*formula, len(t.Programs))
	for p := range t.Programs {
		fits[p] = l.train(t, t.of(func(q int) bool { return q != p }))
		misses[p] = missOf(t, p, fits[p])
	}
	m.Interval = intervalOf(misses)
	for p := range t.Programs {
		e := leftOut(t, p, fits[p], m.Interval, 0)
		m.Programs = append(m.Programs, ProgramError{e.Program, e.LeftOut, e.Held})
		m.Interval.HalfWidth += e.HalfWidth / float64(len(t.Programs))
	}
}
