package eval

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

var holdOffs = []int{1, 5, 10}

// varied returns a run of a manager with a budget of 5 % and another hold-off or quantum.
func varied(w string, by controller, holdOff int, quantum time.Duration) spec {
	c := within(by, ratio(5))
	c.HoldOff, c.Quantum = holdOff, quantum
	return on(w, c)
}

var figure12 = &figure{
	name: "12", short: "hold-off",
	title: "Slowdown by hold-off",
	what: `Slowdown with a budget of 5 %, if the frequency may change after every, every fifth
and every tenth quantum of 5 ms. With a hold-off of five the predictor works in 20 % of the time.`,
	differs: `The paper's text says that a larger hold-off moves xalan, pmd and pmd.scale away
from the budget.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, m := range managers {
				for _, h := range holdOffs {
					specs = append(specs, varied(w, m.by, h, 5*ms))
				}
			}
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, m := range managers {
			var bars []bar
			for _, h := range holdOffs {
				c := column{m.series, float64(h)}
				for _, w := range names(every) {
					b.add(w, c.series, c.x, s.spread(varied(w, m.by, h, 5*ms), (*Run).slowdown),
						percent, none)
				}
				b.means(c, percent, lookUp(paperHoldOff, h), none, none)
				bars = append(bars, bar{c, fmt.Sprintf("hold-off %d", h), 0})
			}
			charts = append(charts, budgeted(b.bars(m.series, "Slowdown by workload and hold-off",
				chart.Axis{Label: "slowdown", Unit: percent}, withMean(), bars)))
		}
		return charts
	},
}

func budgeted(f chart.Bars) chart.Bars {
	f.Levels = []chart.Level{{Name: "budget", At: 5}}
	return f
}

var quanta = []time.Duration{5 * ms, 10 * ms, 15 * ms, 20 * ms, 25 * ms}

var figure13 = &figure{
	name: "13", short: "quantum",
	title: "Slowdown by quantum length",
	what:  `Slowdown with a budget of 5 %, a hold-off of one and five lengths of the quantum.`,
	differs: `The paper says that its five lengths are multiples of five, and draws their
slowdowns: longer quanta slow avrora and pmd down, and make no difference to lusearch.fix.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, m := range managers {
				for _, q := range quanta {
					specs = append(specs, varied(w, m.by, 1, q))
				}
			}
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, m := range managers {
			var bars []bar
			for _, q := range quanta {
				c := column{m.series, float64(q / ms)}
				for _, w := range names(every) {
					b.add(w, c.series, c.x, s.spread(varied(w, m.by, 1, q), (*Run).slowdown),
						percent, none)
				}
				paper := none
				if q == 5*ms {
					paper = paperHoldOff[1]
				}
				b.means(c, percent, paper, none, none)
				bars = append(bars, bar{c, q.String(), 0})
			}
			charts = append(charts, budgeted(b.bars(m.series,
				"Slowdown by workload and quantum length",
				chart.Axis{Label: "slowdown", Unit: percent}, withMean(), bars)))
		}
		return charts
	},
}
