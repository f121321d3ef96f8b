package powermodel

import (
	"math"
	"slices"
)

// Explained holds the explanations of all intervals of a table.
type Explained struct {
	Model        *Model
	Table        *Table
	Base         float64 // W
	Parts        []string
	Values       [][]float64 // by row, then by part, in W
	Power        []float64   // by row, predicted, in W
	MeanAbsolute []float64   // by part, in W
}

// ExplainTable explains each interval of a table that has the model's inputs in its order.
func (m *Model) ExplainTable(t *Table) *Explained {
	x := &Explained{Model: m, Table: t, Parts: m.parts()}
	x.MeanAbsolute = make([]float64, len(x.Parts))
	values := make([]float64, len(t.Columns))
	for r := range t.Rows() {
		t.row(r, values)
		e := m.explain(values)
		x.Base = e.Base
		x.Values, x.Power = append(x.Values, e.Parts), append(x.Power, e.Power)
		for k, v := range e.Parts {
			x.MeanAbsolute[k] += math.Abs(v) / float64(t.Rows())
		}
	}
	return x
}

// Ranking returns the places of the parts by their mean absolute values, the greatest first.
func (e *Explained) Ranking() []int {
	order := make([]int, len(e.Parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case e.MeanAbsolute[a] > e.MeanAbsolute[b]:
			return -1
		case e.MeanAbsolute[a] < e.MeanAbsolute[b]:
			return 1
		}
		return 0
	})
	return order
}

// Order returns the inputs by the ranks of their parts. Where a part is made of several inputs,
// they follow each other.
func (e *Explained) Order() (inputs []int) {
	f := e.Model.formula.features
	for _, i := range e.Ranking() {
		of := []int{i}
		switch {
		case f.ratios != nil:
			of = slices.Concat(f.ratios[i].of, f.ratios[i].by)
		case i == len(e.Model.Inputs):
			of = f.busy
		}
		for _, k := range of {
			if !slices.Contains(inputs, k) {
				inputs = append(inputs, k)
			}
		}
	}
	return inputs
}

// Value returns the value of a part's input in a row: for busy time the sum of its kinds.
func (e *Explained) Value(part, row int) float64 {
	f := e.Model.formula.features
	values := make([]float64, len(e.Table.Columns))
	e.Table.row(row, values)
	switch {
	case f.ratios != nil:
		return f.ratios[part].value(values)
	case part < len(values):
		return values[part]
	}
	return f.busyShare(values)
}
