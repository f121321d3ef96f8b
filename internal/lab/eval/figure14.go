package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

// thrifty returns a run of a manager that minimises the energy of processor and memory.
func thrifty(w string, by controller) spec { return on(w, control{By: by, System: true}) }

var figure14 = &figure{
	name: "14", short: "system energy",
	title: "System energy saved",
	what: `Energy of processor and memory together, saved against always running at 4 GHz: always
at 1 GHz, at the best static frequency (Static-Opt), and with a manager that chooses the frequency
of least system energy every quantum (section 6.2). There is no budget.`,
	differs: `The paper has no dynamic oracle. The manager as printed uses the six steps of
section 6.2; ebb uses what it learns from the meters of package and cores. The simulated machine
has its own power, whose leakage falls faster than the voltage and follows the die's temperature.
Static-Opt has tried all states before. "` +
		seriesInformed + `" starts where ebb starts and gets the best state after 5 ms: its distance
from Static-Opt is the price of not knowing the program.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			specs = append(specs, statics(on(w, control{}))...)
			for _, m := range managers {
				specs = append(specs, thrifty(w, m.by))
			}
			specs = append(specs, thrifty(w, Oracle), thrifty(w, Informed))
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) []chart.Figure {
		lowest, static := column{seriesLowest, none}, column{seriesStatic, none}
		for _, w := range names(every) {
			x := on(w, control{})
			x.Control = control{By: Static, Frequency: 1 * ghz}
			b.add(w, lowest.series, none, s.spread(x, (*Run).systemSaved), percent, none)
			paper := none
			if w == "sunflow" {
				paper = paperMostSystem[seriesStatic]
			}
			b.add(w, static.series, none, s.staticSpread(x, 0, true, (*Run).systemSaved),
				percent, paper)
		}
		bars, leads := []bar{{lowest, seriesLowest, 7}, {static, seriesStatic, 8}}, []bar{}
		for _, m := range append(managers[:len(managers):len(managers)],
			contender{Oracle, seriesOracle, 3}, contender{Informed, seriesInformed, 4}) {
			c, lead := column{m.series, none}, column{m.series + aheadOfStatic, none}
			for _, w := range names(every) {
				paper := none
				if w == "sunflow" && m.by != Oracle && m.by != Informed {
					paper = paperMostSystem[seriesEbb]
				}
				b.add(w, c.series, none, s.spread(thrifty(w, m.by), (*Run).systemSaved),
					percent, paper)
				b.add(w, lead.series, none, s.lead(thrifty(w, m.by), true), points, none)
			}
			b.mean(Mean, names(every), lead, points, none)
			bars = append(bars, bar{c, m.series, m.colour})
			leads = append(leads, bar{lead, m.series, m.colour})
		}
		for _, r := range bars {
			paper := lookUp(paperSystem, r.series)
			if r.series == seriesPrinted {
				paper = paperSystem[seriesEbb]
			}
			b.mean(Mean, names(every), r.column, percent, paper)
			b.most(Max, names(every), r.column, percent, none)
		}
		return []chart.Figure{
			b.bars("System energy saved", "System energy saved by workload and controller",
				chart.Axis{Label: "energy saved", Unit: percent}, withMean(), bars),
			b.bars("Ahead of Static-Opt", "Points of system energy saved more than Static-Opt",
				chart.Axis{Label: "ahead", Unit: points}, withMean(), leads),
		}
	},
}
