package pages

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

// mostCourse bounds the intervals of the course.
const mostCourse = 1200

// course draws the power over the intervals of a table, measured and by a model with its band.
func course(m *powermodel.Model, t *powermodel.Table) chart.Lines {
	measured := chart.Line{Name: "measured", Step: true}
	model := chart.Line{Name: "model", Step: true}
	if m.Interval != nil {
		model.Name = "model, with its 90 % interval"
	}
	rows := t.Rows()
	n := min(rows, mostCourse)
	values := make([]float64, len(t.Columns))
	for i := range n {
		r := i * rows / n
		for k, c := range t.Columns {
			values[k] = c[r]
		}
		p, x := m.Predict(values), float64(r+1)
		measured.X, measured.Y = append(measured.X, x), append(measured.Y, t.Power[r])
		model.X, model.Y = append(model.X, x), append(model.Y, p.Power)
		model.Low, model.High = append(model.Low, p.Low), append(model.High, p.High)
	}
	return chart.Lines{Title: "Power of the machine by interval",
		X: chart.Axis{Label: "interval", Min: 0.5, Max: float64(rows) + 0.5},
		Y: chart.Axis{Label: "power", Unit: "W", Zero: true}, Lines: []chart.Line{measured, model}}
}

// Bounds of the drawing of inputs over their trained ranges, in percent of the range.
const (
	mostInputs = 12
	farBelow   = -50
	farAbove   = 150
)

// ranges shows where a table's inputs lie in the ranges that a model was trained on, those with the
// most intervals outside first. Values farther outside stand at the drawing's edge.
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
