package bench

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Versus compares one of ebb's settings with another way to run the program, round by round.
type Versus struct {
	Of      string   `json:"of"`
	With    string   `json:"with"`
	Energy  string   `json:"energy"` // name of the energy: Processor, or "total"
	Time    Interval `json:"time_change"`
	Change  Interval `json:"energy_change"` // -0.02: 2 % less
	Verdict string   `json:"verdict"`
}

// compare sets ebb against the static optimum of the same budget and against the machine as found.
func (r *Result) compare() {
	next := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Setting.dynamic() {
			continue
		}
		if next < len(r.Optima) {
			o := &r.Optima[next]
			next++
			r.Against = append(r.Against, r.versus(row, o.Name(), o.time, o.processor, o.total))
		}
		for k := range r.Rows {
			if d := &r.Rows[k]; d.Kind == Default {
				r.Against = append(r.Against, r.versus(row, d.Name, d.logs, d.processor, d.total))
			}
		}
	}
}

func (r *Result) versus(row *Row, with string, time, processor, total []float64) Versus {
	v := Versus{Of: row.Name, With: with, Energy: Processor}
	own := row.processor
	if row.Kind == SystemEnergy {
		v.Energy, own, processor = "total", row.total, total
	}
	v.Time = Ratio(differences(row.logs, time))
	if own != nil && processor != nil {
		v.Change = Ratio(differences(own, processor))
	}
	v.Verdict = v.sentence(r.Rounds)
	return v
}

// sentence returns what the rounds show, also where they show nothing.
func (v *Versus) sentence(rounds int) string {
	return fmt.Sprintf("%s, %s", change(v.Energy+" energy", v.Change, rounds, "less", "more"),
		change("time", v.Time, rounds, "less", "more"))
}

func change(what string, i Interval, rounds int, less, more string) string {
	switch {
	case !i.Known():
		return what + ": not known"
	case !i.bounded():
		return fmt.Sprintf("%s: %s in the one run", what, i.signed())
	case i.zero():
		return fmt.Sprintf("%s: no difference that %s can show (%s)", what,
			printable.Count(rounds, "run"), i.span())
	case i.Estimate < 0:
		return fmt.Sprintf("%s: %s %s (%s)", what, i.size(), less, i.span())
	default:
		return fmt.Sprintf("%s: %s %s (%s)", what, i.size(), more, i.span())
	}
}

func times(n, of int, what string) string {
	if n == of {
		return what
	}
	return fmt.Sprintf("%s (%d of %d runs)", what, n, of)
}

// budgetSentence returns a sentence on whether a budget was kept.
func budgetSentence(row *Row, rounds int) string {
	b := units.Ratio(*row.Budget)
	switch {
	case !row.Slowdown.bounded():
		return fmt.Sprintf("%s: slowdown %s in the one run", row.Name, row.Slowdown.signed())
	case row.Verdict == kept:
		return fmt.Sprintf("%s: slowdown %s (%s), within the budget", row.Name,
			row.Slowdown.signed(), row.Slowdown.span())
	case row.Verdict == broken:
		return fmt.Sprintf("%s: slowdown %s (%s), over the budget of %v", row.Name,
			row.Slowdown.signed(), row.Slowdown.span(), b)
	}
	return fmt.Sprintf("%s: slowdown %s (%s): %s cannot show whether it is within %v",
		row.Name, row.Slowdown.signed(), row.Slowdown.span(), printable.Count(rounds, "run"), b)
}
