package eval

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/units"
)

// machines are the profiles that behave as real parts do.
var machines = []string{"haswell-ep", "rome", "hwp", "leaky"}

// machineBudget is the budget on them.
const machineBudget units.Slowdown = 0.05

// manySeeds returns the seeds over which the budget must hold.
func (s *study) manySeeds() []uint64 { return s.seeds(100) }

func seedCount(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

func onMachine(machine, w string, c control, seed uint64) spec {
	x := on(w, c)
	x.Profile, x.Seed = machine, seed
	if c.By == Ebb {
		x.Control.Quantum, x.Control.HoldOff = 0, 0 // calibrated from the machine's latency
	}
	return x
}

var figureMachines = &figure{
	name: "machines", short: "slow clocks",
	title: "Machines whose clocks follow slowly",
	what: `ebb with a budget of 5 % on machines that behave like real parts: requests sampled
every 500 us, slots of 1 ms and three states, a ramp of 5 ms behind a floor, and a part on which a
lower frequency costs energy. The counters are those of real processors. Quantum and hold-off
follow from the machine's latency. A box has the middle half of the seeds, its whiskers all; the
quick variant has one seed, a point.`,
	differs: `Not in the paper, whose clock follows in 2 us and whose counters no processor has.
The oracle knows the future and has the same latencies; it has one seed. The quick variant has no
oracle.`,
	needs: func(s *study) (specs []spec) {
		for _, m := range machines {
			for _, w := range names(every) {
				for _, seed := range s.manySeeds() {
					x := onMachine(m, w, within(Ebb, machineBudget), seed)
					specs = append(specs, x, highest(x))
				}
				// The runs at every state, and the search, are most of the work.
				if !s.settings.Quick {
					x := onMachine(m, w, within(Oracle, machineBudget), s.settings.Seed)
					specs = append(specs, statics(x)...)
					specs = append(specs, x)
				}
			}
		}
		return specs
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		for _, m := range machines {
			slow := chart.Distribution{Name: "ebb", Colour: 1}
			for _, w := range names(every) {
				var all, saved []float64
				for _, seed := range s.manySeeds() {
					x := onMachine(m, w, within(Ebb, machineBudget), seed)
					r, top := s.of(x), s.of(highest(x))
					all, saved = append(all, r.slowdown(top)), append(saved, r.saved(top))
				}
				slow.Values = append(slow.Values, all)
				v := newSpread(all)
				b.add(w, m+", slowdown", 5, v, percent, none)
				b.add(w, m+", most slowdown", 5, one(v.hi), percent, none)
				e := newSpread(saved)
				b.add(w, m+", energy saved", 5, e, percent, none)
				b.add(w, m+", least energy saved", 5, one(e.lo), percent, none)
				x := onMachine(m, w, within(Ebb, machineBudget), s.settings.Seed)
				o := onMachine(m, w, within(Oracle, machineBudget), s.settings.Seed)
				top := s.of(highest(x))
				b.add(w, m+", energy saved, first seed", 5, one(s.of(x).saved(top)), percent, none)
				if !s.settings.Quick {
					b.add(w, m+", oracle", 5, one(s.of(o).saved(top)), percent, none)
				}
			}
			bars := []bar{{column{m + ", energy saved, first seed", 5}, "ebb", 1}}
			for _, series := range []string{", slowdown", ", energy saved",
				", energy saved, first seed"} {
				b.means(column{m + series, 5}, percent, none, none, none)
			}
			if !s.settings.Quick {
				c := column{m + ", oracle", 5}
				b.means(c, percent, none, none, none)
				bars = append(bars, bar{c, seriesOracle, 3})
			}
			charts = append(charts, chart.Boxes{
				Title:  m + ": slowdown, " + seedCount(len(s.manySeeds())),
				Desc:   "Distribution of slowdowns by workload",
				Groups: names(every),
				Y:      chart.Axis{Label: "slowdown", Unit: percent, Zero: true},
				Series: []chart.Distribution{slow},
				Levels: []chart.Level{{Name: "budget", At: 5}},
				Height: 230,
			})
			f := b.bars(m+": processor energy saved, first seed", "Energy saved by workload",
				chart.Axis{Label: "energy saved", Unit: percent}, withMeans(), bars)
			f.Height = 280
			charts = append(charts, f)
		}
		return charts
	},
}
