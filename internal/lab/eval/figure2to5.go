package eval

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/units"
)

const (
	percent = "%"
	points  = "points" // percentage points
)

var figure2 = &figure{
	name: "2", short: "models",
	title: "Prediction error of M+CRIT, COOP and DEP",
	what: `Mean absolute error over the seven workloads, predicted from a run at 1 GHz to higher
frequencies and from a run at 4 GHz to lower ones: (predicted - measured) / measured. The paper's
models, as printed, stand beside ebb's default model wake, with a simulator's best counters and
with those of real processors.`,
	differs: `Other programs on another simulator: the order of the numbers is comparable, single
numbers are not. The paper's text states numbers only for 1 to 4 GHz and 4 to 1 GHz; its other
bars are in drawings.`,
	needs: func(s *study) []spec { return accuracyRuns(s, 0) },
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		shown := []string{modelMCrit, modelCoop, modelDep, modelBurst, modelWake, modelWakeReal}
		for _, d := range directions {
			c := chart.Bars{Title: fmt.Sprintf("From %v", d.base),
				Desc:      "Mean absolute prediction error by model and target frequency",
				Y:         chart.Axis{Label: "mean absolute error", Unit: percent},
				Reference: "paper's text"}
			for _, to := range d.targets {
				c.Groups = append(c.Groups, "to "+to.String())
			}
			for _, m := range shown {
				series := chart.Series{Name: m}
				for _, to := range d.targets {
					name := from(m, d.base)
					paper := stated(paperErrors[m], d.base, to)
					s.addMissed(b, 0, m, name, d.base, to, paper)
					series.Values = append(series.Values,
						b.value(Mean, column{name, gigahertz(to)}, percent))
					series.Reference = append(series.Reference, paper)
				}
				c.Series = append(c.Series, series)
			}
			charts = append(charts, c)
		}
		return charts
	},
}

var figure3 = &figure{
	name: "3", short: "models by program",
	title: "DEP against DEP+BURST, by workload",
	what: `Signed prediction error. Above zero the model predicts a run that is too long. BURST
counts the time in which the store queue is full as non-scaling time.`,
	differs: `The paper draws the errors of single workloads. Its text has the means of their
absolute values, and says that avrora (most epochs) and lusearch (most allocation) have the
largest errors.`,
	needs: func(s *study) []spec { return accuracyRuns(s, 0) },
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, d := range []direction{up, down} {
			f, to := units.Frequency(d.from)*ghz, units.Frequency(d.to)*ghz
			var bars []bar
			for i, m := range []string{modelDep, modelBurst, modelWake} {
				series := from(m, f)
				for _, w := range names(every) {
					b.add(w, series, gigahertz(to), s.miss(w, 0, m, f, to), percent, none)
				}
				absolute := 0.0
				for _, w := range names(every) {
					absolute += s.missed(w, 0, m, f, to).mean / float64(len(names(every)))
				}
				b.add(Mean, series, gigahertz(to), one(absolute), percent,
					lookUp(paperErrors[m], d))
				bars = append(bars, bar{column{series, gigahertz(to)}, m, []int{3, 4, 5}[i]})
			}
			c := b.bars(fmt.Sprintf("From %v to %v (the mean is of absolute values)", f, to),
				"Signed prediction error by workload",
				chart.Axis{Label: "error", Unit: percent}, withMean(), bars)
			charts = append(charts, c)
		}
		return charts
	},
}

var figure4 = &figure{
	name: "4", short: "critical threads",
	title: "Critical threads per epoch against across epochs",
	what: `Mean absolute error of DEP+BURST with the longest thread of each epoch, and with
Algorithm 1, which carries a thread's lead from epoch to epoch. wake carries every thread's lead
along the chain of wakes.`,
	differs: `As in Figure 2.`,
	needs:   func(s *study) []spec { return accuracyRuns(s, 0) },
	draw: func(s *study, b *sheet) []chart.Figure {
		c := chart.Bars{Title: "Mean absolute error",
			Desc:      "Mean absolute prediction error by kind of critical-thread prediction",
			Y:         chart.Axis{Label: "mean absolute error", Unit: percent},
			Reference: "paper's text"}
		for _, d := range directions {
			for _, to := range d.targets {
				c.Groups = append(c.Groups, fmt.Sprintf("%v to %v", d.base, to))
			}
		}
		for i, m := range []string{modelPerEpoch, modelBurst, modelWake} {
			series := chart.Series{Name: []string{"per epoch", "across epochs (Algorithm 1)",
				"wake"}[i], Colour: []int{8, 4, 5}[i]}
			for _, d := range directions {
				for _, to := range d.targets {
					name, paper := from(m, d.base), stated(paperErrors[m], d.base, to)
					s.addMissed(b, 0, m, name, d.base, to, paper)
					series.Values = append(series.Values,
						b.value(Mean, column{name, gigahertz(to)}, percent))
					series.Reference = append(series.Reference, paper)
				}
			}
			c.Series = append(c.Series, series)
		}
		return []chart.Figure{c}
	},
}

// threadCounts are the numbers of application threads in Figure 5.
var threadCounts = []int{1, 2, 4, 8}

var figure5 = &figure{
	name: "5", short: "number of threads",
	title: "Prediction error by number of threads",
	what: `Mean absolute error of DEP+BURST and wake with 1, 2, 4 and 8 application threads, on
as many cores with 1 MB of shared cache and 3 GB/s each. One application thread has one collector
thread, more have two.`,
	differs: `avrora has six threads at any number of cores. For eight threads from 1 GHz the
paper only says that the error is below 10 %; the mark is that bound.`,
	needs: func(s *study) (specs []spec) {
		for _, n := range threadCounts {
			specs = append(specs, accuracyRuns(s, n)...)
		}
		return specs
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, m := range []string{modelBurst, modelWake} {
			c := chart.Bars{Title: m,
				Desc:      "Mean absolute prediction error by number of threads and target",
				Y:         chart.Axis{Label: "mean absolute error", Unit: percent},
				Reference: "paper's text", Height: 280}
			for _, d := range directions {
				for _, to := range d.targets {
					c.Groups = append(c.Groups, fmt.Sprintf("%v to %v", d.base, to))
				}
			}
			for _, n := range threadCounts {
				series := chart.Series{Name: threads(n)}
				for _, d := range directions {
					for _, to := range d.targets {
						name, paper := fmt.Sprintf("%s from %v to %v", m, d.base, to), none
						if m == modelBurst {
							paper = stated(paperThreads[n], d.base, to)
						}
						var all []float64
						for _, w := range names(every) {
							v := s.missed(w, n, m, d.base, to)
							b.add(w, name, float64(n), v, percent, none)
							all = append(all, v.mean)
						}
						b.add(Mean, name, float64(n), one(mean(all)), percent, paper)
						series.Values = append(series.Values, mean(all))
						series.Reference = append(series.Reference, paper)
					}
				}
				c.Series = append(c.Series, series)
			}
			charts = append(charts, c)
		}
		return charts
	},
}

func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}
