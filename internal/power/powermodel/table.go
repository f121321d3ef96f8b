package powermodel

import (
	"errors"
	"fmt"
	"slices"
)

// Table is a metered run of several programs: one row an interval, in order of time within each
// program.
type Table struct {
	Inputs   []string    // names of the columns
	Columns  [][]float64 // by input, then by row
	Power    []float64   // W, by row
	Program  []int       // index into Programs, by row
	Programs []string    // in order of their first rows
}

// Rows returns the number of intervals.
func (t *Table) Rows() int { return len(t.Power) }

// row fills in the inputs of an interval.
func (t *Table) row(r int, values []float64) {
	for k, c := range t.Columns {
		values[k] = c[r]
	}
}

// only returns the table with some columns.
func (t *Table) only(columns []int) *Table {
	out := *t
	out.Inputs, out.Columns = nil, nil
	for _, k := range columns {
		out.Inputs = append(out.Inputs, t.Inputs[k])
		out.Columns = append(out.Columns, t.Columns[k])
	}
	return &out
}

// of returns the rows of the programs for which take holds, in their order.
func (t *Table) of(take func(program int) bool) (rows []int) {
	for i, p := range t.Program {
		if take(p) {
			rows = append(rows, i)
		}
	}
	return rows
}

// counts returns the number of rows of each program.
func (t *Table) counts() []int {
	n := make([]int, len(t.Programs))
	for _, p := range t.Program {
		n[p]++
	}
	return n
}

// learnable returns what keeps a model from being made of the table; nil: nothing.
func (t *Table) learnable() error {
	switch {
	case t.Rows() < minTrained:
		return fmt.Errorf("%d intervals: at least %d are needed", t.Rows(), minTrained)
	case slices.Max(t.Power) == slices.Min(t.Power):
		return fmt.Errorf("the power is %v W in every interval: nothing can be learned of that",
			t.Power[0])
	case len(t.Inputs) == 0:
		return errors.New("no input changes")
	}
	return nil
}

// judged returns the programs that are left out in turn: those with enough intervals. The others
// are trained on all the same.
func (t *Table) judged() (programs []int) {
	for i, n := range t.counts() {
		if n >= minProgramRows {
			programs = append(programs, i)
		}
	}
	return programs
}

// Enough returns what keeps programs of the table from being left out in turn; nil: nothing.
func (t *Table) Enough() error {
	n := len(t.judged())
	switch {
	case n >= minPrograms:
		return nil
	case len(t.Programs) == 1:
		return fmt.Errorf("one program alone: to leave one out, at least %d are needed",
			minPrograms)
	case n < len(t.Programs):
		return fmt.Errorf("%d of %d programs have %d intervals or more: to leave one out, at "+
			"least %d are needed", n, len(t.Programs), minProgramRows, minPrograms)
	}
	return fmt.Errorf("%d programs: to leave one out, at least %d are needed", n, minPrograms)
}

const (
	// minPrograms is the fewest programs from which the error on another one is estimated.
	minPrograms = 5
	// minProgramRows is the fewest intervals of a program that is judged: its halves are compared.
	minProgramRows = 20
	// minTrained is the fewest intervals that a model is made of.
	minTrained = minPrograms * minProgramRows
)
