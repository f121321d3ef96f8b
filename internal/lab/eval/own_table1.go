package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

var figureTable1 = &figure{
	name: "table1", short: "programs",
	title: "The programs of Table 1",
	what: `Execution and collection time at 1 GHz with four application and two collector threads
(avrora has six application threads), beside the paper's Table 1.`,
	differs: `The simulated programs' times were matched to the table's; heaps were not: a
simulated heap has a nursery only.`,
	needs: func(s *study) (specs []spec) {
		for _, w := range names(every) {
			specs = append(specs, on(w, control{By: Static, Frequency: 1 * ghz}))
		}
		return s.over(specs)
	},
	draw: func(s *study, b *sheet) []chart.Figure {
		total, inGC := column{"execution", 1}, column{"collection", 1}
		for _, w := range paperWorkloads {
			var wall, gc []float64
			for _, x := range s.over([]spec{on(w.name, control{By: Static, Frequency: 1 * ghz})}) {
				r := s.of(x)
				wall = append(wall, r.Wall.Seconds()*1e3)
				gc = append(gc, r.GC.Seconds()*1e3)
			}
			b.add(w.name, total.series, total.x, newSpread(wall), "ms", float64(w.total))
			b.add(w.name, inGC.series, inGC.x, newSpread(gc), "ms", float64(w.inGC))
		}
		return []chart.Figure{b.bars("Times at 1 GHz", "Execution and collection time by workload",
			chart.Axis{Label: "time", Unit: "ms"}, names(every),
			[]bar{{total, "execution", 2}, {inGC, "collection", 3}})}
	},
}
