package eval

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// first returns a run with the first seed, the one that the oracle knows.
func (s *study) first(x spec) spec { x.Seed = s.settings.Seed; return x }

var figureOracle = &figure{
	name: "oracle", short: "any schedule",
	title: "Share of what any schedule could save",
	what: `Processor energy saved within 5 and 10 %, beside the dynamic oracle: the best schedule
found with one frequency per 5 ms of work, from runs at every state, and run on the machine. The
oracle knows the future.`,
	differs: `Not in the paper. One seed, the oracle's.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, x := range statics(on(w, control{})) {
				specs = append(specs, s.first(x))
			}
			for _, budget := range budgets {
				for _, m := range managers {
					specs = append(specs, s.first(on(w, within(m.by, ratio(budget)))))
				}
				specs = append(specs, s.first(on(w, within(Oracle, ratio(budget)))))
			}
		}
		return specs
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, budget := range budgets {
			bars := []bar{
				{column{seriesPrinted, float64(budget)}, seriesPrinted, 2},
				{column{seriesEbb, float64(budget)}, seriesEbb, 1},
				{column{seriesStatic, float64(budget)}, seriesStatic, 7},
				{column{seriesOracle, float64(budget)}, seriesOracle, 3},
			}
			for _, w := range names(every) {
				x := s.first(on(w, control{}))
				top := s.of(highest(x))
				for _, r := range bars {
					var run *Run
					switch r.series {
					case seriesPrinted:
						run = s.of(s.first(on(w, within(Printed, ratio(budget)))))
					case seriesEbb:
						run = s.of(s.first(on(w, within(Ebb, ratio(budget)))))
					case seriesOracle:
						run = s.of(s.first(on(w, within(Oracle, ratio(budget)))))
					default:
						run = s.staticBest(x, ratio(budget), false)
					}
					b.add(w, r.series, r.x, one(run.saved(top)), percent, none)
				}
			}
			for _, r := range bars {
				b.means(r.column, percent, none, none, none)
			}
			charts = append(charts, b.bars(fmt.Sprintf("Processor energy saved, budget %d %%",
				budget), "Energy saved by workload and controller",
				chart.Axis{Label: "energy saved", Unit: percent}, withMeans(), bars))
		}
		return charts
	},
}
