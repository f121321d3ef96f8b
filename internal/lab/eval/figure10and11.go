package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

// stepVariant is a manager on a machine with steps of 125 or 500 MHz, with or without excess time.
// ebb's account is always on: it keeps the budget.
type stepVariant struct {
	by     controller
	name   string // name in the paper, for its own variants
	step   int
	excess bool
}

var stepVariants = []stepVariant{
	{Printed, "w/o-excess-125", 125, false}, {Printed, "excess-125", 125, true},
	{Printed, "w/o-excess-500", 500, false}, {Printed, "excess-500", 500, true},
	{Ebb, "125 MHz", 125, true}, {Ebb, "500 MHz", 500, true},
}

func (v stepVariant) spec(w string) spec {
	c := within(v.by, ratio(5))
	c.NoExcess = !v.excess
	x := on(w, c)
	if v.step == 500 {
		x.Profile = "paper-500"
	}
	return x
}

// column returns the series of a variant, which names it among all of a figure's.
func (v stepVariant) column() column {
	by := seriesPrinted
	if v.by == Ebb {
		by = seriesEbb
	}
	return column{by + ", " + v.name, float64(v.step)}
}

func stepNeeds(s *study) (specs []spec) {
	for _, w := range names(every) {
		for _, v := range stepVariants {
			specs = append(specs, v.spec(w))
		}
	}
	return s.withBaselines(specs)
}

// stepDraw draws one quantity of all variants. paper returns the means that the text states, over
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
	name: "10", short: "slowdown by steps",
	title: "Slowdown by frequency step, with and without excess time",
	what: `Slowdown with a budget of 5 % on the machine with steps of 125 MHz (25 states) and of
500 MHz (7 states). With excess time (equation 1) a quantum may spend what earlier ones left
unused.`,
	differs: `ebb always keeps its account, with measured and not with predicted times,
overspending included. The account keeps the budget.`,
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
	name: "11", short: "saving by steps",
	title: "Energy saved by frequency step, with and without excess time",
	what:  `Processor energy saved in the runs of Figure 10.`,
	differs: `The paper's text says that both variants with 125 MHz save almost the same. The
number beside them is that of Figure 7.`,
	needs: stepNeeds,
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
