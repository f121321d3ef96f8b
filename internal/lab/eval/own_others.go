package eval

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// others returns programs for what the paper's seven leave out.
func others() (n []string) {
	for _, w := range workload.More() {
		n = append(n, w.Name)
	}
	return n
}

const overBudget = "ebb, over the budget"

var figureOthers = &figure{
	name: "others", short: "other programs",
	title: "Outside the seven",
	what: `The same controller on programs unlike the paper's: contention that depends on the
clock, alternation of computing and waiting, barriers between unlike threads, a saturated memory,
requests that arrive by the clock, long spins for locks, work stealing, a pipeline, one thread.
Slowdown is a mean, and its bars span the seeds. Over the budget is the part of the mean above the
budget. Static-Opt and the oracle, which knows the future, have the first seed.`,
	differs: `Not in the paper. Two runs of forkjoin at one frequency differ by a percent and
more, because threads steal work differently. In server the outside world sets the pace: its run
takes as long at nearly every frequency, and ebb keeps the budget for the time spent on requests,
which the length of the run does not show. The quick variant has no Static-Opt and no oracle.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range others() {
			for _, budget := range budgets {
				specs = append(specs, s.withBaselines([]spec{on(w, within(Ebb, ratio(budget)))})...)
				if !s.settings.Quick { // the runs at every state are most of the work
					for _, x := range statics(on(w, control{})) {
						specs = append(specs, s.first(x))
					}
					specs = append(specs, s.first(on(w, within(Oracle, ratio(budget)))))
				}
			}
		}
		return specs
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, budget := range budgets {
			x := float64(budget)
			slow, saved := column{seriesEbb + ", slowdown", x}, column{seriesEbb + ", energy saved",
				x}
			first, static, oracle := column{seriesEbb + ", first seed", x}, column{seriesStatic,
				x}, column{seriesOracle, x}
			bars := []bar{{first, seriesEbb, 1}}
			for _, w := range others() {
				own := on(w, within(Ebb, ratio(budget)))
				b.add(w, slow.series, x, s.spread(own, (*Run).slowdown), percent, none)
				b.add(w, overBudget, x, one(max(b.value(w, slow, percent)-x, 0)), points, none)
				b.add(w, saved.series, x, s.spread(own, (*Run).saved), percent, none)
				top := s.of(highest(s.first(own)))
				b.add(w, first.series, x, one(s.of(s.first(own)).saved(top)), percent, none)
				if !s.settings.Quick {
					b.add(w, static.series, x, one(s.staticBest(s.first(own), ratio(budget),
						false).saved(top)), percent, none)
					b.add(w, oracle.series, x, one(s.of(s.first(on(w,
						within(Oracle, ratio(budget))))).saved(top)), percent, none)
				}
			}
			b.most(Max, others(), column{overBudget, x}, points, none)
			for _, c := range []column{saved, first, static, oracle} {
				if c != static && c != oracle || !s.settings.Quick {
					b.mean(Mean, others(), c, percent, none)
				}
			}
			if !s.settings.Quick {
				bars = append(bars, bar{static, seriesStatic, 7}, bar{oracle, seriesOracle, 3})
			}
			f := b.bars(fmt.Sprintf("Slowdown, budget %d %%", budget), "Slowdown by workload",
				chart.Axis{Label: "slowdown", Unit: percent}, others(), []bar{{slow, seriesEbb, 1}})
			f.Levels = []chart.Level{{Name: "budget", At: x}}
			g := b.bars(fmt.Sprintf("Processor energy saved, budget %d %%, first seed", budget),
				"Energy saved by workload and controller",
				chart.Axis{Label: "energy saved", Unit: percent}, append(others(), Mean), bars)
			charts = append(charts, f, g)
		}
		return charts
	},
}
