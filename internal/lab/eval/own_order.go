package eval

import (
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/predictor"
)

// orderVariant is the printed manager with one thing changed, or two.
type orderVariant struct {
	series   string
	model    string
	accounts bool
	colour   int
}

var orderVariants = []orderVariant{
	{"as printed", "", false, 2},
	{"better predictions", predictor.Wake, false, 5},
	{"by what happened", "", true, 4},
	{"both", predictor.Wake, true, 3},
}

// spec returns a run under the manager: of least system energy, or within a budget of 10 %.
func (v *orderVariant) spec(w string, system bool) spec {
	x := thrifty(w, Printed)
	if !system {
		x = on(w, within(Printed, ratio(10)))
	}
	x.Control.Model, x.Control.Accounts = v.model, v.accounts
	return x
}

var figureOrder = &figure{
	name: "order", short: "behind Static-Opt",
	title: "Why the printed manager is behind Static-Opt, and what changes it",
	what: `Points of energy that the manager as printed saves more than Static-Opt, in figure 14
(system energy) and figure 9 (processor, 10 %), and the same with one thing changed: it predicts
by ebb's model wake; or it decides by what happened, which in figure 9 is the measured time in the
account of its budget, and in figure 14 the energy as its meters teach it, in place of the six
steps'; or both. The dynamic oracle is the best schedule found with one frequency per 5 ms of work,
from runs at every state. A phase is the stretch for which the oracle keeps a frequency; its length
is the mean.`,
	differs: `Not in the paper, which has neither the oracle nor phase lengths.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, v := range orderVariants {
				for _, system := range []bool{true, false} {
					specs = append(specs, v.spec(w, system))
				}
			}
			specs = append(specs, statics(on(w, control{}))...)
			specs = append(specs, thrifty(w, Oracle), on(w, within(Oracle, ratio(10))))
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, system := range []bool{true, false} {
			name, oracle := "figure 14", thrifty
			if !system {
				name = "figure 9"
				oracle = func(w string, by controller) spec { return on(w, within(by, ratio(10))) }
			}
			var bars []bar
			for _, v := range orderVariants {
				c := column{name + ", " + v.series, none}
				for _, w := range names(every) {
					b.add(w, c.series, none, s.lead(v.spec(w, system), system), points, none)
					if !system {
						b.add(w, c.series+", slowdown", none, s.spread(v.spec(w, system),
							(*Run).slowdown), percent, none)
					}
				}
				b.means(c, points, none, none, none)
				bars = append(bars, bar{c, v.series, v.colour})
			}
			c := column{name + ", dynamic oracle", none}
			for _, w := range names(every) {
				x := s.over([]spec{oracle(w, Oracle)})[0]
				b.add(w, c.series, none, s.lead(oracle(w, Oracle), system), points, none)
				r := s.of(x)
				b.add(w, name+", phase", none, one(float64(r.Wall)/float64(ms)/float64(r.Phases)),
					"ms", none)
			}
			b.means(c, points, none, none, none)
			bars = append(bars, bar{c, seriesOracle, 1})
			charts = append(charts, b.bars("Ahead of Static-Opt, "+name,
				"Points of energy saved more than Static-Opt, with one thing changed",
				chart.Axis{Label: "ahead", Unit: points}, withMeans(), bars))
		}
		return charts
	},
}
