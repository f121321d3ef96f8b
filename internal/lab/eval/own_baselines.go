package eval

import (
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/simtest/baseline"
)

// controllers returns the controllers of the comparison with those in use today.
func controllers() (c []control) {
	for _, n := range baseline.Names() {
		c = append(c, control{By: controller(n)})
	}
	return append(c, within(EAR, ratio(5)), within(Ebb, ratio(5)))
}

var figureBaselines = &figure{
	name: "baselines", short: "kernel's governors",
	title: "Against the governors that people run",
	what: `Slowdown and processor energy against always running at the highest frequency, under
the kernel's governors with their defaults, an EAR-like controller (a signature per 100 ms,
projected by linear models that were learned on other programs, at most 5 % slower) and ebb with a
budget of 5 %. A bar that ends at the top is longer; its number gives the length.`,
	differs: `Not in the paper, whose baseline is always 4 GHz. The governors follow their
sources: the kernel's ondemand, conservative and schedutil, and EAR's min_energy policy. All but
EAR and ebb see how busy a core is, and not what it waits for. EAR takes signatures of 10 s from
programs that run for minutes; here they have the same share of a run.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			for _, c := range controllers() {
				specs = append(specs, on(w, c))
			}
		}
		return s.withBaselines(specs)
	},
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		var slow, save []bar
		for i, c := range controllers() {
			name := string(c.By)
			slowed, saved := column{name + ", slowdown", none}, column{name + ", energy saved",
				none}
			for _, w := range names(every) {
				b.add(w, slowed.series, none, s.spread(on(w, c), (*Run).slowdown), percent, none)
				b.add(w, saved.series, none, s.spread(on(w, c), (*Run).saved), percent, none)
			}
			b.means(slowed, percent, none, none, none)
			b.means(saved, percent, none, none, none)
			colour := []int{7, 8, 6, 5, 4, 2, 1}[i]
			slow, save = append(slow, bar{slowed, name, colour}), append(save,
				bar{saved, name, colour})
		}
		f := b.bars("Slowdown", "Slowdown by workload and governor",
			chart.Axis{Label: "slowdown", Unit: percent, Max: 20}, withMeans(), slow)
		f.Levels = []chart.Level{{Name: "budget", At: 5}}
		return []chart.Figure{f, b.bars("Processor energy saved",
			"Energy saved by workload and governor",
			chart.Axis{Label: "energy saved", Unit: percent}, withMeans(), save)}
	},
}
