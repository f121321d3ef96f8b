package bench

import (
	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/units"
)

// Judged is the verdict on one of ebb's settings.
type Judged struct {
	Of string `json:"of"`
	*verdict.Verdict
}

// alike is the largest share by which two energies differ and still count as equal.
const alike = 0.005

// judge adds a verdict for each of ebb's settings. It needs the comparisons.
func (r *Result) judge() {
	next := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Setting.dynamic() {
			continue
		}
		f := r.facts(row)
		if next < len(r.Optima) {
			r.asGood(&f, row, &r.Optima[next])
			next++
		}
		r.Verdicts = append(r.Verdicts, Judged{Of: row.Name, Verdict: verdict.Of(&f)})
	}
}

// facts returns the facts about a setting that the rounds show.
func (r *Result) facts(row *Row) verdict.Facts {
	f := verdict.Facts{Control: true, Below: true, Metered: row.HasEnergy &&
		(row.Source == Measured || row.Source == Simulated),
		Simulated: r.Plan.Machine.Simulated != "", Counters: true,
		Reference: row.Source == Reference,
		Used:      row.Total, Lost: row.Slowdown.Estimate, Wall: row.Wall,
		Budget: row.Setting.Slowdown, Rounds: r.Rounds}
	change := row.TotalEnergy
	if change.bounded() {
		f.Lo, f.Hi = -change.Hi, -change.Lo
	}
	f.Saved, f.Bare = -change.Estimate, !change.bounded()
	return f
}

// asGood notes the static optimum if the rounds do not show that it takes more energy.
func (r *Result) asGood(f *verdict.Facts, row *Row, c *Choice) {
	if c.Frequency == r.Plan.highest().Frequency {
		return
	}
	for k := range r.Against {
		v := &r.Against[k]
		if v.Of == row.Name && v.With == c.Name() && v.Change.bounded() && v.Change.Hi > -alike {
			f.AsGood = units.Frequency(c.Hz)
		}
	}
}

// verdicts returns the sentences of the verdicts.
func (r *Result) verdicts() (out []sentence) {
	for _, v := range r.Verdicts {
		out = append(out, sentence{Text: v.Of + ": " + v.Line})
		for _, s := range v.Better {
			out = append(out, sentence{Sub: true, Text: "better: " + s})
		}
	}
	return out
}
