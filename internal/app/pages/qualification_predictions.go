package pages

import (
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

// figure2, figure3 and figure4 are the models of the paper's Figures 2 to 4, ebb's own last.
var (
	figure2 = []string{"m+crit", "coop", "dep", "dep+burst", "wake"}
	figure3 = []string{"dep", "dep+burst", "wake"}
	figure4 = []string{"dep+burst per-epoch", "dep+burst", "wake"}
)

func (s *section) predictions(p *qualify.Predictions) {
	if len(p.ClocksHz) >= 2 && len(p.Errors) > 0 {
		lo, hi := p.ClocksHz[0], p.ClocksHz[len(p.ClocksHz)-1]
		s.figure(s.figure2(p, lo))
		s.figure(s.figure2(p, hi))
		s.figure(s.figure3(p, lo, hi))
		s.figure(s.figure3(p, hi, lo))
		s.figure(s.figure4(p))
	}
	means := table{Head: []string{"model", "mean error", "worst"},
		Note: "Over all programs and pairs of clocks, absolute values. A model that is missing " +
			"needs counters that this machine does not have."}
	for _, m := range models(p) {
		mean, worst := p.MeanErrors(m)
		means.Rows = append(means.Rows, []string{m, fmt.Sprintf("%.1f %%", mean),
			fmt.Sprintf("%.1f %%", worst)})
	}
	times := table{Head: []string{"program"}, Note: "Real times. A star marks a run in which the " +
		"hardware held the clock back."}
	for _, hz := range p.ClocksHz {
		times.Head = append(times.Head, ghz(hz))
	}
	for _, name := range programs(p) {
		row := []string{name}
		for _, hz := range p.ClocksHz {
			cell := "-"
			for _, r := range p.Runs {
				if r.Program == name && r.Hz == hz {
					cell = fmt.Sprintf("%.3f s", float64(r.WallNS)/1e9)
					if r.Throttled {
						cell += " *"
					}
				}
			}
			row = append(row, cell)
		}
		times.Rows = append(times.Rows, row)
	}
	s.Tables = append(s.Tables, means, times)
}

// models returns the models that have errors, in their order.
func models(p *qualify.Predictions) (out []string) {
	for _, e := range p.Errors {
		if !slices.Contains(out, e.Model) {
			out = append(out, e.Model)
		}
	}
	return out
}

func programs(p *qualify.Predictions) (out []string) {
	for _, r := range p.Runs {
		if !slices.Contains(out, r.Program) {
			out = append(out, r.Program)
		}
	}
	return out
}

// mean returns a model's mean absolute error between two clocks; NaN where there is none.
func mean(p *qualify.Predictions, model string, from, to int64) float64 {
	sum, n := 0.0, 0
	for _, e := range p.Errors {
		if e.Model == model && e.FromHz == from && e.ToHz == to {
			sum, n = sum+math.Abs(e.Percent), n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// found returns the series that have a value, in the colours of their places. A model without one
// needs counters that this machine does not have. Where none has a value, all stay.
func found(all []chart.Series) (some []chart.Series) {
	for i, s := range all {
		s.Colour = i + 1
		if slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) }) {
			some = append(some, s)
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}

// figure2 draws the mean absolute error of the models from one clock to the others.
func (s *section) figure2(p *qualify.Predictions, from int64) chart.Bars {
	c := chart.Bars{Title: "As Figure 2: from " + ghz(from),
		Desc: "mean absolute prediction error by model and target clock",
		Y:    chart.Axis{Label: "mean absolute error", Unit: "%"}}
	for _, m := range figure2 {
		c.Series = append(c.Series, chart.Series{Name: m})
	}
	for _, to := range p.ClocksHz {
		if to == from {
			continue
		}
		c.Groups = append(c.Groups, "to "+ghz(to))
		for i, m := range figure2 {
			c.Series[i].Values = append(c.Series[i].Values, mean(p, m, from, to))
		}
	}
	c.Series = found(c.Series)
	return c
}

// figure3 draws the signed error of each program.
func (s *section) figure3(p *qualify.Predictions, from, to int64) chart.Bars {
	c := chart.Bars{Title: fmt.Sprintf("As Figure 3: from %s to %s", ghz(from), ghz(to)),
		Desc: "signed prediction error by program", Groups: programs(p),
		Y: chart.Axis{Label: "error", Unit: "%"}}
	for _, m := range figure3 {
		series := chart.Series{Name: m}
		for _, name := range c.Groups {
			v := math.NaN()
			for _, e := range p.Errors {
				if e.Model == m && e.Program == name && e.FromHz == from && e.ToHz == to {
					v = e.Percent
				}
			}
			series.Values = append(series.Values, v)
		}
		c.Series = append(c.Series, series)
	}
	c.Series = found(c.Series)
	return c
}

// figure4 draws critical threads per epoch against across epochs.
func (s *section) figure4(p *qualify.Predictions) chart.Bars {
	c := chart.Bars{Title: "As Figure 4: critical threads per epoch and across epochs",
		Desc: "mean absolute error by kind of critical-thread prediction",
		Y:    chart.Axis{Label: "mean absolute error", Unit: "%"}}
	lo, hi := p.ClocksHz[0], p.ClocksHz[len(p.ClocksHz)-1]
	c.Groups = []string{ghz(lo) + " to " + ghz(hi), ghz(hi) + " to " + ghz(lo)}
	for i, m := range figure4 {
		c.Series = append(c.Series, chart.Series{
			Name:   []string{"per epoch", "across epochs", "wake"}[i],
			Values: []float64{mean(p, m, lo, hi), mean(p, m, hi, lo)}})
	}
	c.Series = found(c.Series)
	return c
}
