package eval

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// unlikeBudgets are the budgets for programs of unlike threads, in percent.
var unlikeBudgets = []int{2, 5, 10}

// effects are the times after a quantum's end at which a clock takes effect.
var effects = []time.Duration{0, time.Millisecond}

// unlikeSeeds returns the seeds over which the budget must hold.
func (s *study) unlikeSeeds() []uint64 { return s.seeds(20) }

// unlikePrograms returns the programs of a kind, by the length of their sections, without and with
// traffic.
func unlikePrograms(kind string) (names []string) {
	for _, traffic := range []bool{false, true} {
		for _, d := range workload.UnlikeLengths {
			names = append(names, workload.UnlikeName(kind, d, traffic))
		}
	}
	return names
}

func allUnlike() (names []string) {
	for _, kind := range workload.UnlikeKinds() {
		names = append(names, unlikePrograms(kind)...)
	}
	return names
}

func onUnlike(w string, budget int, effect time.Duration, seed uint64) spec {
	x := on(w, within(Ebb, ratio(budget)))
	x.Effect, x.Seed = effect, seed
	return x
}

// unlikeColumns returns the columns of the mean and the greatest slowdown, where the clock takes
// effect after a while.
func unlikeColumns(effect time.Duration, budget int) (mean, most column) {
	when := "at once"
	if effect > 0 {
		when = fmt.Sprintf("after %v", effect)
	}
	return column{"slowdown, " + when, float64(budget)},
		column{"most slowdown, " + when, float64(budget)}
}

var figureUnlike = &figure{
	name: "unlike", short: "unlike threads",
	title: "Threads that are unlike for long",
	what: `Programs in which some threads compute while others wait for memory, for sections of 10
to 500 ms: parallel sections, pipelines, phases, sections within sections, one producer with several
consumers, threads that never meet; alone, and with a thread that streams. Which thread the program
will wait for shows at a section's end only. The clock takes effect at once, or 1 ms after a
quantum's end. A bar is the mean over 20 seeds, the line on it spans them; the quick variant has one
seed.`,
	differs: `Not in the paper, whose programs' threads meet every few milliseconds.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range allUnlike() {
			for _, seed := range s.unlikeSeeds() {
				for _, effect := range effects {
					for _, budget := range unlikeBudgets {
						x := onUnlike(w, budget, effect, seed)
						specs = append(specs, x, highest(x))
					}
				}
			}
		}
		return specs
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, effect := range effects {
			for _, budget := range unlikeBudgets {
				mean, most := unlikeColumns(effect, budget)
				for _, w := range allUnlike() {
					var all []float64
					for _, seed := range s.unlikeSeeds() {
						x := onUnlike(w, budget, effect, seed)
						all = append(all, s.of(x).slowdown(s.of(highest(x))))
					}
					v := newSpread(all)
					b.add(w, mean.series, mean.x, v, percent, none)
					b.add(w, most.series, most.x, one(v.hi), percent, none)
				}
				b.mean(Mean, allUnlike(), mean, percent, none)
				b.most(Max, allUnlike(), mean, percent, none)
				b.most(Max, allUnlike(), most, percent, none)
			}
		}
		for _, kind := range workload.UnlikeKinds() {
			var bars []bar
			var levels []chart.Level
			for i, budget := range unlikeBudgets {
				mean, _ := unlikeColumns(effects[0], budget)
				bars = append(bars, bar{mean, fmt.Sprintf("budget %d %%", budget),
					[]int{7, 6, 1}[i]})
				levels = append(levels, chart.Level{Name: fmt.Sprintf("%d %%", budget),
					At: float64(budget)})
			}
			f := b.bars(kind, "Slowdown by length of the sections and budget",
				chart.Axis{Label: "slowdown", Unit: percent}, unlikePrograms(kind), bars)
			f.Levels = levels
			charts = append(charts, f)
		}
		return charts
	},
}

// unlikeCriteria returns the criteria about programs of unlike threads.
func unlikeCriteria(f found) (out []Criterion) {
	for _, budget := range unlikeBudgets {
		for _, effect := range effects {
			mean, most := unlikeColumns(effect, budget)
			get := func(c column) func(string) float64 {
				return func(w string) float64 { return f.get("unlike", w, c.series, c.x) }
			}
			w, v := extreme(allUnlike(), -1, get(mean))
			u, worst := extreme(allUnlike(), -1, get(most))
			if w == "" || u == "" {
				continue
			}
			out = append(out, Criterion{
				fmt.Sprintf("Unlike threads, %s: within a budget of %d %% and 0.3 points in the "+
					"mean, and one point on every seed", mean.series, budget),
				fmt.Sprintf("at most %.2f %% in the mean, %.2f on a seed", v, worst),
				v <= float64(budget)+0.3 && worst <= float64(budget)+1,
				w + " and " + u + " are slowest"})
		}
	}
	return out
}
