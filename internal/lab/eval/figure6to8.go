package eval

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/units"
)

var budgets = []int{5, 10}

func ratio(budget int) units.Slowdown { return units.Slowdown(budget) / 100 }

// contender is a controller with its name in figures and its colour.
type contender struct {
	by     controller
	series string
	colour int
}

// managers are the paper's controller and ebb's, side by side in most figures.
var managers = []contender{{Printed, seriesPrinted, 2}, {Ebb, seriesEbb, 1}}

var figure6 = &figure{
	name: "6", short: "manager at work",
	title: "The energy manager at work",
	what: `The frequency delivered in the first 150 ms of xalan with a budget of 5 %, quanta of 5
ms and a hold-off of two: the first of two quanta is profiled, and the decision at its end holds
for the next two.`,
	differs: `The paper draws an example; this is a run.`,
	needs: func(s *study) []spec {
		return s.over([]spec{manager("xalan", Printed), manager("xalan", Ebb)})
	},
	draw: func(s *study, b *sheet) []chart.Figure {
		c := chart.Lines{Title: "xalan, budget 5 %, hold-off 2", Desc: "Frequency over time",
			X: chart.Axis{Label: "time", Unit: "ms", Min: 0, Max: 150},
			Y: chart.Axis{Label: "frequency", Unit: "GHz", Min: 1, Max: 4}, Height: 260}
		for _, m := range managers {
			x := manager("xalan", m.by)
			x.Seed = s.settings.Seed
			line := b.clock(s.of(x), "xalan", m.series, 150)
			line.Colour = m.colour
			c.Lines = append(c.Lines, line)
		}
		return []chart.Figure{c}
	},
}

func manager(w string, by controller) spec {
	return on(w, control{By: by, Slowdown: ratio(5), HoldOff: 2})
}

// clock adds the changes of a run's frequency up to a time in ms as rows, and draws them.
func (s *sheet) clock(r *Run, workload, series string, until float64) chart.Line {
	l := chart.Line{Name: series, Step: true}
	for _, p := range r.Clock {
		at := float64(p.At) / float64(ms)
		if at > until {
			break
		}
		s.add(workload, series, at, one(gigahertz(p.Frequency)), "GHz", none)
		l.X, l.Y = append(l.X, at), append(l.Y, gigahertz(p.Frequency))
	}
	if end := min(until, float64(r.Wall)/float64(ms)); len(l.X) > 0 {
		l.X, l.Y = append(l.X, end), append(l.Y, l.Y[len(l.Y)-1])
	}
	return l
}

var figure7 = &figure{
	name: "7", short: "slowdown and saving",
	title: "Slowdown and processor energy saved, for budgets of 5 and 10 %",
	what: `Slowdown and processor energy saved of each program under the energy manager, against
always running at 4 GHz.`,
	differs: `"As printed" is the paper's controller on this machine: DEP+BURST on exact CRIT
counters, equation 1 with the predicted time. ebb settles its account with the measured time. The
paper's text says that avrora slightly exceeds 5 %, and that lusearch stays below both budgets.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, budget := range budgets {
				for _, m := range managers {
					specs = append(specs, on(w, within(m.by, ratio(budget))))
				}
			}
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, budget := range budgets {
			var slow, save []bar
			for _, m := range managers {
				slowed, saved := column{m.series + ", slowdown",
					float64(budget)}, column{m.series + ", energy saved", float64(budget)}
				for _, w := range names(every) {
					x := on(w, within(m.by, ratio(budget)))
					b.add(w, slowed.series, slowed.x, s.spread(x, (*Run).slowdown), percent, none)
					b.add(w, saved.series, saved.x, s.spread(x, (*Run).saved), percent, none)
				}
				b.means(slowed, percent, paperMeanSlowdown(budget), none, none)
				b.means(saved, percent, none, paperSaved[budget], none)
				b.most(maxMemory, names(memoryBound), saved, percent, paperMostSaved[budget])
				slow, save = append(slow, bar{slowed, m.series, m.colour}), append(save,
					bar{saved, m.series, m.colour})
			}
			f := b.bars(fmt.Sprintf("Slowdown, budget %d %%", budget), "Slowdown by workload",
				chart.Axis{Label: "slowdown", Unit: percent}, withMean(), slow)
			f.Levels = []chart.Level{{Name: "budget", At: float64(budget)}}
			g := b.bars(fmt.Sprintf("Processor energy saved, budget %d %%", budget),
				"Energy saved by workload", chart.Axis{Label: "energy saved", Unit: percent},
				append(withMeans(), maxMemory), save)
			charts = append(charts, f, g)
		}
		return charts
	},
}

// paperMeanSlowdown returns the mean over all workloads that the text gives with Figure 10, in the
// same setting.
func paperMeanSlowdown(budget int) float64 {
	if budget == 5 {
		return paperSlowdown[125][1]
	}
	return none
}

var figure8 = &figure{
	name: "8", short: "frequency over time",
	title: "Frequency over time",
	what: `The frequency that each manager chose for the memory-intensive xalan and the
compute-intensive sunflow, with a budget of 5 %.`,
	differs: `The paper finds a wider range of frequencies for xalan than for sunflow.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range []string{"xalan", "sunflow"} {
			for _, m := range managers {
				specs = append(specs, on(w, within(m.by, ratio(5))))
			}
		}
		return s.over(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, w := range []string{"xalan", "sunflow"} {
			c := chart.Lines{Title: w, Desc: "Frequency over time",
				X: chart.Axis{Label: "time", Unit: "ms"},
				Y: chart.Axis{Label: "frequency", Unit: "GHz", Min: 1, Max: 4}, Height: 260}
			for _, m := range managers {
				x := on(w, within(m.by, ratio(5)))
				x.Seed = s.settings.Seed
				line := b.clock(s.of(x), w, m.series, 1e9)
				line.Colour = m.colour
				c.Lines = append(c.Lines, line)
				c.X.Min, c.X.Max = 0, max(c.X.Max, line.X[len(line.X)-1])
			}
			charts = append(charts, c)
		}
		return charts
	},
}
