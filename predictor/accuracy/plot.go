package accuracy

import (
	"html/template"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// plotted are the models that a plot shows, by name.
var plotted = []string{"wake", "wake, real counters", "dep+burst", "m+crit"}

// plotRange is the error that is shown to either side, in percent.
const plotRange = 50

// plot returns a drawing of the signed errors of a set at one pair: a row per workload, a mark per
// model.
func (r *Result) plot(s *Set, pair int) template.HTML {
	rows := chart.Rows{
		Names: s.Workloads, X: chart.Axis{Label: "error", Unit: "%", Min: -plotRange,
			Max: plotRange}, Signed: true,
		Desc: "signed error per workload",
	}
	for _, name := range plotted {
		if i := r.index(name); i >= 0 && slices.ContainsFunc(s.Errors[pair][i], known) {
			rows.Series = append(rows.Series, chart.Series{Name: name, Values: s.Errors[pair][i]})
		}
	}
	return template.HTML(rows.SVG())
}

// index returns the place of a model, -1 when it was not measured.
func (r *Result) index(name string) int {
	return slices.IndexFunc(r.Models, func(m Model) bool { return m.Name == name })
}
