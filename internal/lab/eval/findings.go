package eval

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// findings returns the page's first sentences, on the figures that were evaluated: the savings,
// their cost in time, and the errors of the models.
func (f found) findings() (out []string) {
	saved := func(budget float64) float64 {
		return f.get("7", meanMemory, seriesEbb+", energy saved", budget)
	}
	if !math.IsNaN(saved(5) + saved(10)) {
		out = append(out, fmt.Sprintf("Within a budget of 5 %%, ebb saved %.1f %% of the "+
			"processor's energy on memory-intensive programs, and within 10 %% it saved %.1f %%; "+
			"the paper's controller, in the paper, %g and %g %%.",
			saved(5), saved(10), paperSaved[5], paperSaved[10]))
	}
	slowest := func(budget float64) (string, float64) {
		return extreme(names(every), -1, func(w string) float64 {
			return f.get("7", w, seriesEbb+", slowdown", budget)
		})
	}
	who5, most5 := slowest(5)
	who10, most10 := slowest(10)
	if !math.IsInf(most5, 0) && !math.IsInf(most10, 0) {
		out = append(out, fmt.Sprintf("The slowest program took %.1f %% longer within 5 %% (%s), "+
			"and %.1f %% longer within 10 %% (%s).", most5, who5, most10, who10))
	}
	missed := func(model string, d direction) float64 {
		return f.get("2", Mean, fmt.Sprintf("%s from %dGHz", model, d.from), float64(d.to))
	}
	ups, downs := missed(modelWake, up), missed(modelWake, down)
	if printedUp, printedDown := missed(modelBurst, up), missed(modelBurst, down); !math.IsNaN(
		ups + downs + printedUp + printedDown) {
		out = append(out, fmt.Sprintf("ebb's model wake predicts a run at 4 GHz from one at 1 GHz "+
			"to %.1f %% on average, and the other way to %.1f %%; DEP+BURST, as printed, to %.1f "+
			"and %.1f %%.", ups, downs, printedUp, printedDown))
	}
	return out
}

// lead returns the page's first drawing: ebb's savings of each program's energy by budget. It
// returns false where Figure 7 was not evaluated.
func (f found) lead() (chart.Bars, bool) {
	groups := append(names(every), meanMemory, meanCompute)
	c := chart.Bars{Title: "Processor energy that ebb saved, by budget",
		Desc: "Energy saved by program and budget", Groups: groupNames(groups),
		Y: chart.Axis{Label: "energy saved", Unit: percent}, Reference: "paper's text",
		Sections: classes(groups), Height: 290}
	known := false
	for i, budget := range budgets {
		s := chart.Series{Name: fmt.Sprintf("budget %d %%", budget), Colour: []int{6, 1}[i]}
		for _, w := range groups {
			v, paper := f.get("7", w, seriesEbb+", energy saved", float64(budget)), none
			if w == meanMemory {
				paper = paperSaved[budget]
			}
			s.Values, s.Reference = append(s.Values, v), append(s.Reference, paper)
			known = known || !math.IsNaN(v)
		}
		c.Series = append(c.Series, s)
	}
	return c, known
}
