package chappie

import (
	"fmt"
	"math"
	"strings"
)

// table is a table of the page, with its caption.
type table struct {
	Title, Text string
	Head        []string
	Rows        [][]cell
	Unit        int // column with names, from 1; 0 for none beside the first
}

// Names reports whether column i has names.
func (t table) Names(i int) bool { return i == t.Unit-1 }

// cell is a cell of a table. It has a class where it is a verdict, or can take several lines.
type cell struct{ Text, Class, Link string }

// plain returns a cell of text. In a narrow window an interval and words take several lines.
func plain(s string) cell {
	if strings.Contains(s, " to ") || s == unknown {
		return cell{Text: s, Class: "span"}
	}
	return cell{Text: s}
}

const unknown = "not known"

// judged returns the cell of a verdict.
func judged(s string) cell {
	switch s {
	case "pass", "calm":
		return cell{Text: s, Class: "yes"}
	case "fail", "disturbed":
		return cell{Text: s, Class: "no"}
	}
	return plain(s)
}

// percentOf returns a share in percent with its sign; "not known" where it is not.
func percentOf(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	return fmt.Sprintf("%+.2f %%", 100*v)
}

func digits(v float64, n int) string {
	if math.IsNaN(v) {
		return unknown
	}
	return fmt.Sprintf("%.*f", n, v)
}

// verdicts returns a table of the criterion of time and the verdict at each program's chosen
// period.
func verdicts(results []result) table {
	t := table{Title: "Calm? (definition 3.5)",
		Text: "At the shortest period that was calm, or the longest tried. Calm needs the time " +
			"and both correlations below. Open: the interval contains the threshold. The time is " +
			"without that in which the program waited for CPUs that others had, where known.",
		Head: []string{"program", "period", "CPU time", "time", "95 % interval", "paper",
			"pass?", "calm?"}}
	for i := range results {
		r := &results[i]
		l := r.chosen()
		time, _, _ := criteria(l)
		t.Rows = append(t.Rows, []cell{{Text: r.name, Link: r.name + "/calm.html"},
			plain(l["period_ms"] + " ms"), plain(percentOf(l.num("cpu"))),
			plain(percentOf(l.num(l.time()))),
			plain(strings.TrimSuffix(percentOf(l.num(l.time()+"_low_95")), " %") + " to " +
				percentOf(l.num(l.time()+"_high_95"))),
			inPaper(r, paperTime, "%+.2f %%"), judged(time), judged(l["verdict"])})
	}
	return t
}

// frequencies returns a table of the two other criteria at the same periods.
func frequencies(results []result) table {
	t := table{Title: "Correlation of frequencies, observed to alone",
		Text: "At the periods above: over time, and over the cores.",
		Head: []string{"program", "temporal", "paper", "pass?", "spatial", "paper",
			"pass?"}}
	for i := range results {
		r := &results[i]
		l := r.chosen()
		_, temporal, spatial := criteria(l)
		t.Rows = append(t.Rows, []cell{plain(r.name),
			plain(digits(l.num("temporal"), 3)), inPaper(r, paperTemporal, "%.2f"),
			judged(temporal),
			plain(digits(l.num("spatial"), 3)), inPaper(r, paperSpatial, "%.2f"),
			judged(spatial)})
	}
	return t
}

// inPaper returns a cell with the paper's value for a program at its chosen period.
func inPaper(r *result, values map[string][]float64, format string) cell {
	if v, ok := paperAt(values, r.name, r.chosen().int("period_ms")); ok {
		return plain(fmt.Sprintf(format, v))
	}
	return plain("-")
}

// programs returns figure 5.
func programs(results []result) table {
	t := table{Title: "Programs (figure 5)", Head: []string{"program", "time alone", "deviation",
		"methods seen", "threads", "running at once, mean"}}
	for i := range results {
		p := results[i].program
		t.Rows = append(t.Rows, []cell{plain(results[i].name),
			plain(digits(p.num("wall_s"), 2) + " s"),
			plain(digits(p.num("wall_sd_s"), 2) + " s"), plain(p["methods"]), plain(p["threads"]),
			plain(digits(p.num("running"), 2))})
	}
	return t
}

// parameters returns figure 6.
func parameters(results []result) table {
	t := table{Title: "Parameters (figure 6)",
		Text: "Runs until one more left the methods' shares as they were (correlation above 0.99).",
		Head: []string{"program", "period", "runs", "correlation", "standard error", "RMSE"}}
	for i := range results {
		l := results[i].chosen()
		t.Rows = append(t.Rows, []cell{plain(results[i].name), plain(l["period_ms"] + " ms"),
			plain(l["batches"]), plain(digits(l.num("convergence"), 4)),
			plain(digits(l.num("convergence_se"), 4)),
			plain(digits(l.num("convergence_rmse"), 4))})
	}
	return t
}

// over returns table 2, of every program.
func over(results []result) table {
	t := table{Title: "If concurrent threads were ignored (table 2)", Unit: 2,
		Text: "The five methods with the most energy of each program. The paper has 2.20 to 9.27 " +
			"times for h2, on 40 hardware threads: the factor cannot exceed the number of " +
			"threads that run at once.",
		Head: []string{"program", "method", "energy", "CPU time", "over-attribution"}}
	for i := range results {
		for k, l := range results[i].methods() {
			if k >= 5 {
				break
			}
			times := "-"
			if v := l.num("over_attribution"); v > 0 {
				times = fmt.Sprintf("%.2f times", v)
			}
			t.Rows = append(t.Rows, []cell{plain(results[i].name), {Text: l["unit"], Class: "unit"},
				plain(fmt.Sprintf("%.1f %%", 100*l.num("energy_share"))),
				plain(fmt.Sprintf("%.1f %%", 100*l.num("cpu_share"))), plain(times)})
		}
	}
	return t
}
