package vesta

import (
	"math"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Merged returns the table with intervals of times the length: in each program's order of time,
// times successive rows become one, with their mean power and rates. It leaves out a rest at a
// program's end. So VESTA's sensitivity to the interval (section 5.1) needs one training, with the
// shortest.
func Merged(t *powermodel.Table, times int) *powermodel.Table {
	out := &powermodel.Table{Inputs: t.Inputs, Programs: t.Programs,
		Columns: make([][]float64, len(t.Columns))}
	for p := range t.Programs {
		var rows []int
		for r, of := range t.Program {
			if of != p {
				continue
			}
			if rows = append(rows, r); len(rows) < times {
				continue
			}
			for k, column := range t.Columns {
				out.Columns[k] = append(out.Columns[k], meanOf(column, rows))
			}
			out.Power = append(out.Power, meanOf(t.Power, rows))
			out.Program, rows = append(out.Program, p), rows[:0]
		}
	}
	return out
}

// meanOf returns the mean of the known values; not a number where there are none.
func meanOf(x []float64, rows []int) float64 {
	sum, n := 0.0, 0.0
	for _, r := range rows {
		if !math.IsNaN(x[r]) {
			sum, n = sum+x[r], n+1
		}
	}
	return sum / n
}
