package eval

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/chart"
)

// stepVariant is a manager on a machine with steps of 125 or 500 MHz, with or without excess time.
// ebb's account is always on: it is what keeps the budget.
type stepVariant struct {
	by     Controller
	name   string // the paper's, for its own
	step   int
	excess bool
}

var stepVariants = []stepVariant{
	{Printed, "w/o-excess-125", 125, false}, {Printed, "excess-125", 125, true},
	{Printed, "w/o-excess-500", 500, false}, {Printed, "excess-500", 500, true},
	{Ebb, "125 MHz", 125, true}, {Ebb, "500 MHz", 500, true},
}

func (v stepVariant) spec(w string) Spec {
	c := within(v.by, ratio(5))
	c.NoExcess = !v.excess
	x := on(w, c)
	if v.step == 500 {
		x.Profile = "paper-500"
	}
	return x
}

// series names a variant among all of a figure's.
func (v stepVariant) column() column {
	by := seriesPrinted
	if v.by == Ebb {
		by = seriesEbb
	}
	return column{by + ", " + v.name, float64(v.step)}
}

func stepNeeds(s *study) (specs []Spec) {
	for _, w := range names(every) {
		for _, v := range stepVariants {
			specs = append(specs, v.spec(w))
		}
	}
	return s.withBaselines(specs)
}

// stepDraw draws one quantity of all variants; paper has what the text states of the means, over
// all and over memory-intensive workloads.
func stepDraw(s *study, b *sheet, label string, of func(r, highest *Run) float64,
	workloads []string, levels []chart.Level,
	paper func(v stepVariant) (all, memory float64)) []chart.Figure {
	var bars [2][]bar
	for i, v := range stepVariants {
		c := v.column()
		for _, w := range names(every) {
			b.add(w, c.series, c.x, s.spread(v.spec(w), of), percent, none)
		}
		all, memory := none, none
		at := 1
		if v.by == Printed {
			all, memory = paper(v)
			at = 0
		}
		b.means(c, percent, all, memory, none)
		bars[at] = append(bars[at], bar{c, v.name, i%4 + 1})
	}
	axis := chart.Axis{Label: label, Unit: percent}
	printed := b.bars(seriesPrinted,
		label+" of the paper's controller by workload, frequency step and accounting", axis,
		workloads, bars[0])
	own := b.bars(seriesEbb, label+" of ebb by workload and frequency step", axis, workloads,
		bars[1])
	printed.Levels, own.Levels = levels, levels
	return []chart.Figure{printed, own}
}

var figure10 = &figure{
	name: "10", title: "Slowdown by frequency step, with and without excess time",
	what: `Slowdown with a budget of 5 % on the machine with steps of 125 MHz (25 states) and of 500 MHz (7 states). With excess
time (equation 1) what one quantum leaves unused the next may spend.`,
	differs: `ebb always keeps its account, of what happened and not of what was predicted, overspending included: it is what
keeps the budget.`,
	needs: stepNeeds,
	draw: func(s *study, b *sheet) []chart.Figure {
		budget := []chart.Level{{Name: "budget", At: 5}}
		return stepDraw(s, b, "slowdown", (*Run).slowdown, withMean(), budget,
			func(v stepVariant) (float64, float64) {
				if v.excess {
					return paperSlowdown[v.step][1], none
				}
				return paperSlowdown[v.step][0], none
			})
	},
}

var figure11 = &figure{
	name: "11", title: "Energy saved by frequency step, with and without excess time",
	what:    `Processor energy saved in the runs of Figure 10.`,
	differs: `The paper's text says that both variants with 125 MHz save almost the same; the number of Figure 7 stands at them.`,
	needs:   stepNeeds,
	draw: func(s *study, b *sheet) []chart.Figure {
		return stepDraw(s, b, "energy saved", (*Run).saved, withMeans(), nil,
			func(v stepVariant) (float64, float64) {
				switch {
				case v.step == 125:
					return none, paperSaved[5]
				case v.excess:
					return none, paperStepSaved[1]
				}
				return none, paperStepSaved[0]
			})
	},
}

var holdOffs = []int{1, 5, 10}

// varied is a manager with a budget of 5 % and another hold-off or quantum.
func varied(w string, by Controller, holdOff int, quantum time.Duration) Spec {
	c := within(by, ratio(5))
	c.HoldOff, c.Quantum = holdOff, quantum
	return on(w, c)
}

var figure12 = &figure{
	name: "12", title: "Slowdown by hold-off",
	what: `Slowdown with a budget of 5 % when the frequency may change after every, every fifth and every tenth quantum of 5 ms.
With a hold-off of five the predictor works in 20 % of the time.`,
	differs: `The paper's text says that xalan, pmd and pmd.scale come out further from the budget with a larger hold-off.`,
	needs: func(s *study) (specs []Spec) {
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
	name: "13", title: "Slowdown by quantum length",
	what: `Slowdown with a budget of 5 %, a hold-off of one and five lengths of the quantum.`,
	differs: `The paper says that its five lengths are multiples of five, and shows their slowdowns in a drawing: avrora and pmd
get slower with longer quanta, lusearch.fix does not care.`,
	needs: func(s *study) (specs []Spec) {
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
