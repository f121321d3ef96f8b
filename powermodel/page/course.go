package page

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/chart"
	"github.com/ebb-energy/ebb/powermodel"
)

// mostCourse bounds the intervals of the course.
const mostCourse = 1200

// course is the power over the intervals of a table, measured and by a model.
func course(m *powermodel.Model, t *powermodel.Table) chart.Lines {
	lines := []chart.Line{{Name: "measured", Step: true}, {Name: "model", Step: true},
		{Name: "lower end", Step: true}, {Name: "upper end", Step: true}}
	rows := t.Rows()
	n := min(rows, mostCourse)
	values := make([]float64, len(t.Columns))
	for i := range n {
		r := i * rows / n
		for k, c := range t.Columns {
			values[k] = c[r]
		}
		p := m.Predict(values)
		for k, y := range []float64{t.Power[r], p.Power, p.Low, p.High} {
			lines[k].X, lines[k].Y = append(lines[k].X, float64(r+1)), append(lines[k].Y, y)
		}
	}
	if m.Interval == nil {
		lines = lines[:2]
	}
	return chart.Lines{Title: "Power of the machine by interval",
		X: chart.Axis{Label: "interval"}, Y: chart.Axis{Label: "power", Unit: "W", Zero: true},
		Lines: lines}
}

// Bounds of the drawing of inputs over their trained ranges, in percent of the range.
const (
	mostInputs = 12
	farBelow   = -50
	farAbove   = 150
)

// ranges shows where a table's inputs lie in the ranges that a model was trained on, those with the
// most intervals outside first. What is farther outside stands at the drawing's edge.
func ranges(m *powermodel.Model, t *powermodel.Table) chart.Violins {
	type input struct {
		name    string
		places  []float64
		outside int
	}
	var all []input
	for k, in := range m.Inputs {
		if math.IsNaN(in.Low) || in.High <= in.Low {
			continue
		}
		one := input{name: short(in.Name)}
		for _, x := range t.Columns[k] {
			place := 100 * (x - in.Low) / (in.High - in.Low)
			if place < 0 || place > 100 {
				one.outside++
			}
			one.places = append(one.places, min(max(place, farBelow), farAbove))
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b input) int { return b.outside - a.outside })
	f := chart.Violins{Title: "The table's inputs over the ranges that were trained on",
		X: chart.Axis{Label: "place in the trained range", Unit: "%", Zero: true}}
	for _, in := range all[:min(mostInputs, len(all))] {
		f.Names, f.Values = append(f.Names, in.name), append(f.Values, in.places)
	}
	return f
}
