package powermodel

import (
	"math"
	"slices"
)

// Train makes a model of all of a table. It leaves each program with enough intervals out in turn
// to find out how far the model misses programs that it has not seen; with too few (Enough) that
// stays unknown. The provenance's programs and intervals are the table's.
func Train(t *Table, l Learner, from Provenance) (*Model, error) {
	if err := t.learnable(); err != nil {
		return nil, err
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
	if t.Enough() == nil {
		m.leaveOut(t, l)
	}
	return m, nil
}

// setRanges states the formula's ranges with the inputs.
func (m *Model) setRanges() {
	f := m.formula.features
	for i, k := range f.columns {
		m.Inputs[k].Low, m.Inputs[k].High = f.low[i], f.high[i]
	}
}

// leaveOut leaves each program that has enough intervals out in turn, and sets the interval and the
// errors. The shares held are by the residuals of all of these programs, their own among these.
func (m *Model) leaveOut(t *Table, l Learner) {
	judged := t.judged()
	misses := make([]miss, len(judged))
	fits := make([]*formula, len(judged))
	for i, p := range judged {
		fits[i] = l.train(t, t.of(func(q int) bool { return q != p }))
		misses[i] = missOf(t, p, fits[i])
	}
	m.Interval = spreadOf(misses).interval(confidence)
	for i, p := range judged {
		e := leftOut(t, p, fits[i], m.Interval, 0)
		m.Programs = append(m.Programs, ProgramError{e.Program, e.LeftOut, e.Held})
		m.Interval.HalfWidth += e.HalfWidth / float64(len(judged))
	}
}
