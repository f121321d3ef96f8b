package chappie

import (
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/app/perturbation"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

// series returns a column's values by program, one series for each period that was tried of any
// program.
func series(results []result, column string, scale float64) (groups []string, out []chart.Series) {
	var periods []int
	for i := range results {
		groups = append(groups, results[i].name)
		for _, l := range results[i].overhead {
			if p := l.int("period_ms"); !slices.Contains(periods, p) {
				periods = append(periods, p)
			}
		}
	}
	slices.Sort(periods)
	for _, p := range periods {
		s := chart.Series{Name: fmt.Sprintf("%d ms", p)}
		for i := range results {
			v, lo, hi := math.NaN(), math.NaN(), math.NaN()
			for _, l := range results[i].overhead {
				if l.int("period_ms") != p {
					continue
				}
				v = scale * l.num(column)
				lo, hi = scale*l.num(column+"_low_95"), scale*l.num(column+"_high_95")
				if se := l.num(column + "_se"); !math.IsNaN(se) {
					lo, hi = v-1.96*se, min(v+1.96*se, 1)
				}
			}
			s.Values, s.Low, s.High = append(s.Values, v), append(s.Low, lo), append(s.High, hi)
		}
		out = append(out, s)
	}
	return groups, out
}

// differences draws figure 10 (a) for a column.
func differences(results []result, name, column string) chart.Bars {
	f := chart.Bars{Title: "Difference of the " + name + ", observed to alone",
		Y: chart.Axis{Label: "difference", Unit: "%", Zero: true},
		Levels: []chart.Level{{Name: "threshold", At: 100 * perturbation.MaxTime},
			{At: -100 * perturbation.MaxTime}}}
	f.Groups, f.Series = series(results, column, 100)
	return f
}

// correspondence draws figure 10 (b) or (c); false where no program has values for it.
func correspondence(results []result, column string) (chart.Bars, bool) {
	f := chart.Bars{Title: "Correspondence of frequencies, " + column,
		Y:      chart.Axis{Label: "correlation", Max: 1},
		Levels: []chart.Level{{Name: "threshold", At: perturbation.MinCorrelation}}}
	f.Groups, f.Series = series(results, column, 1)
	known := slices.ContainsFunc(f.Series, func(s chart.Series) bool {
		return slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) })
	})
	return f, known
}
