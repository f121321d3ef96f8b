package vesta

import (
	"math"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// TestMerged: rows merge within their program, in order, though programs alternate; what is not
// known has no part in a mean, and a rest is left out.
func TestMerged(t *testing.T) {
	nan := math.NaN()
	in := &powermodel.Table{Inputs: []string{"x", "y"}, Programs: []string{"a", "b"},
		Program: []int{0, 1, 0, 0, 1, 0, 0},
		Power:   []float64{1, 10, 3, 5, 30, 7, 100},
		Columns: [][]float64{{0, 5, 2, 4, 7, nan, 9}, {nan, 1, nan, 2, 1, 2, 2}}}
	out := Merged(in, 2)
	if !slices.Equal(out.Power, []float64{2, 6, 20}) ||
		!slices.Equal(out.Program, []int{0, 0, 1}) ||
		!slices.Equal(out.Columns[0], []float64{1, 4, 6}) || !math.IsNaN(out.Columns[1][0]) ||
		!slices.Equal(out.Columns[1][1:], []float64{2, 1}) {
		t.Errorf("%+v", out)
	}
	if same := Merged(in, 1); same.Rows() != in.Rows() {
		t.Errorf("%d rows of %d", same.Rows(), in.Rows())
	}
}
