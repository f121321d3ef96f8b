package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

var figure9 = &figure{
	name: "9", short: "best fixed frequency",
	title: "Against the best static frequency, budget 10 %",
	what: `Processor energy saved within a slowdown of 10 %. Static-Opt is the frequency for the
whole run that takes the least energy within the budget, found by trying all. The dynamic oracle
is the best schedule found with one frequency per stretch of work.`,
	differs: `The paper has no dynamic oracle. Its text says that the manager beats Static-Opt on
memory-intensive workloads, by 2 points on average and up to 10, and loses to it only on lusearch.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, m := range managers {
				specs = append(specs, on(w, within(m.by, ratio(10))))
			}
			specs = append(specs, statics(on(w, control{}))...)
			specs = append(specs, on(w, within(Oracle, ratio(10))))
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) []chart.Figure {
		bars := []bar{}
		for _, m := range managers {
			c := column{m.series, 10}
			for _, w := range names(every) {
				b.add(w, c.series, c.x, s.spread(on(w, within(m.by, ratio(10))), (*Run).saved),
					percent, none)
			}
			b.means(c, percent, none, none, none)
			bars = append(bars, bar{c, m.series, m.colour})
		}
		static, oracle := column{seriesStatic, 10}, column{seriesOracle, 10}
		for _, w := range names(every) {
			b.add(w, static.series, 10, s.staticSpread(on(w, control{}), ratio(10), false,
				(*Run).saved), percent, none)
			b.add(w, oracle.series, 10, s.spread(on(w, within(Oracle, ratio(10))), (*Run).saved),
				percent, none)
		}
		b.means(static, percent, none, none, none)
		b.means(oracle, percent, none, none, none)
		for _, m := range managers {
			c := column{m.series + aheadOfStatic, 10}
			for _, w := range names(every) {
				b.add(w, c.series, 10, one(b.value(w, column{m.series, 10}, percent)-b.value(w,
					static, percent)), points, none)
			}
			b.means(c, points, none, paperAhead, none)
			b.most(maxMemory, names(memoryBound), c, points, paperMostAhead)
		}
		bars = append(bars, bar{static, seriesStatic, 7}, bar{oracle, seriesOracle, 3})
		axis := chart.Axis{Label: "energy saved", Unit: percent}
		ahead := []bar{{column{seriesPrinted + aheadOfStatic, 10}, seriesPrinted, 2},
			{column{seriesEbb + aheadOfStatic, 10}, seriesEbb, 1}}
		return []chart.Figure{
			b.bars("Processor energy saved, budget 10 %", "Energy saved by workload and controller",
				axis, withMeans(), bars),
			b.bars("Ahead of Static-Opt", "Points of energy saved more than Static-Opt",
				chart.Axis{Label: "ahead", Unit: points}, append(withMeans(), maxMemory), ahead),
		}
	},
}
