package eval

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/units"
)

// tracesJSON has the errors that predictor/accuracy measures on the recorded epoch tables.
// TestEmbeddedErrorsAreThoseOfToday writes and checks it.
//
//go:embed traces.json
var tracesJSON []byte

// traceError is a model's error on one set of the tables.
type traceError struct {
	Set   string  `json:"set"` // directory of the tables
	Model string  `json:"model"`
	From  int     `json:"from_ghz"`
	To    int     `json:"to_ghz"`
	Mean  float64 `json:"mean_absolute_percent"`
	Worst float64 `json:"worst_percent"`
}

// traceSets are the tables' directories, with their names in the figure.
var traceSets = []struct{ dir, series string }{
	{".", "traces, ordinary stores"}, {"tso", "traces, strict stores"},
}

var figureTraces = &figure{
	name: "traces", short: "recorded programs",
	title: "Is the simulated machine too kind?",
	what: `The same models on this machine and on epoch tables of an independent cycle-level
simulator, which ran pthread programs on out-of-order cores like those of the paper's Table 2
(predictor/testdata/traces: one set with ordinary store drain, one with strict store order and
strong store bursts). If the models erred much less here than there, this machine would flatter
them.`,
	differs: `Not in the paper. The programs differ: seven managed ones here, others there. One of
the recorded ones has phases of a collector; of the others COOP would be M+CRIT, so it stands beside
this machine's programs only.`,
	needs: func(s *study) []spec { return accuracyRuns(s, 0) },
	draw: func(s *study, b *sheet) (charts []chart.Figure) {
		var recorded []traceError
		if err := json.Unmarshal(tracesJSON, &recorded); err != nil {
			panic(fmt.Sprintf("eval: traces.json: %v", err)) // the file is part of the program
		}
		shown := []string{modelMCrit, modelCoop, modelDep,
			modelPerEpoch, modelBurst, modelWake, modelWakeReal}
		for _, d := range []direction{up, down} {
			c := chart.Bars{Title: fmt.Sprintf("From %d to %d GHz", d.from, d.to),
				Desc:   "Mean absolute error by model, here and on recorded programs",
				Groups: shown, Y: chart.Axis{Label: "mean absolute error", Unit: percent},
				Reference: "paper's text"}
			here := chart.Series{Name: "this machine"}
			for _, m := range shown {
				paper := lookUp(paperErrors[m], d)
				series := fmt.Sprintf("this machine, from %dGHz", d.from)
				var all []float64
				for _, w := range names(every) {
					all = append(all, s.missed(w, 0, m, ghz*units.Frequency(d.from),
						ghz*units.Frequency(d.to)).mean)
				}
				b.add(m, series, float64(d.to), one(mean(all)), percent, paper)
				here.Values, here.Reference = append(here.Values, mean(all)), append(here.Reference,
					paper)
			}
			c.Series = append(c.Series, here)
			for _, set := range traceSets {
				there := chart.Series{Name: set.series}
				for _, m := range shown {
					v := none
					for _, r := range recorded {
						if strings.HasPrefix(m, modelCoop) {
							break // one of the recorded programs has a collector's phases
						}
						if r.Set == set.dir && r.Model == m && r.From == d.from && r.To == d.to {
							v = r.Mean
						}
					}
					if !math.IsNaN(v) { // the set may lack the counters of one model, or phases
						b.add(m, fmt.Sprintf("%s, from %dGHz", set.series, d.from), float64(d.to),
							one(v), percent, none)
					}
					there.Values = append(there.Values, v)
				}
				c.Series = append(c.Series, there)
			}
			charts = append(charts, c)
		}
		return charts
	},
}
