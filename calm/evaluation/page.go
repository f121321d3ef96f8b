package main

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/calm"
	"github.com/ebb-energy/ebb/internal/chart"
	"github.com/ebb-energy/ebb/internal/page"
)

// table is one of the page's, with its caption.
type table struct {
	Title, Text string
	Head        []string
	Rows        [][]cell
	Unit        int // the column with names, from 1; 0 for none beside the first
}

// Names says whether column i has names.
func (t table) Names(i int) bool { return i == t.Unit-1 }

// cell has a class where it is a verdict, or can take several lines.
type cell struct{ Text, Class, Link string }

// plain is a cell. In a narrow window an interval and words take several lines.
func plain(s string) cell {
	if strings.Contains(s, " to ") || s == unknown {
		return cell{Text: s, Class: "span"}
	}
	return cell{Text: s}
}

const unknown = "not known"

// judged is a verdict's cell.
func judged(s string) cell {
	switch s {
	case "pass", "calm":
		return cell{Text: s, Class: "yes"}
	case "fail", "disturbed":
		return cell{Text: s, Class: "no"}
	}
	return plain(s)
}

func writePage(w io.Writer, results []result) error {
	var power []string
	for i := range results {
		if p := results[i].program["power"]; !slices.Contains(power, p) {
			power = append(power, p)
		}
	}
	tables := []table{verdicts(results), programs(results), parameters(results), over(results)}
	figures := []template.HTML{page.Figure(differences(results, "time", "time")),
		page.Figure(differences(results, "CPU time, no criterion", "cpu"))}
	for _, c := range []string{"temporal", "spatial"} {
		if f, ok := correspondence(results, c); ok {
			figures = append(figures, page.Figure(f))
		}
	}
	shell := page.Page{Heading: "Chappie's evaluation on this machine", Content: content,
		Data: map[string]any{"Tables": tables, "Figures": figures, "Power": power}}
	return shell.Write(w)
}

var content = page.Content("chappie", `<p>Each program ran alone and under <code>ebb run --methods</code>, in turn, and does the same work in every run.
The energy is {{range $i, $p := .Power}}{{if $i}}; {{end}}{{$p}}{{end}}. Where that is not <i>measured</i>, a model stood in for a meter: then the shares of energy
say no more than CPU time and frequency do. The paper's values are those of its figure 14 at the same period, on other machines, versions and inputs.</p>
{{range .Tables}}<h2>{{.Title}}</h2>
{{if .Text}}<p>{{.Text}}</p>{{end}}
<div class="scroll"><table class="full">
<thead><tr>{{$t := .}}{{range $i, $h := .Head}}<th{{if $t.Names $i}} class="unit"{{end}}>{{$h}}</th>{{end}}</tr></thead>
{{range .Rows}}<tr>{{range .}}<td{{if .Class}} class="{{.Class}}"{{end}}>{{if .Link}}<a href="{{.Link}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}</td>{{end}}</tr>
{{end}}</table></div>
{{end}}<h2>At each period (figures 10 and 14)</h2>
{{range .Figures}}{{.}}
{{end}}<p class="soft">chappie.csv has these numbers; each program's directory has those of its own page.</p>
`)

// percentOf is a share in percent with its sign; empty where it is not known.
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

// verdicts are the three criteria at each program's chosen period.
func verdicts(results []result) table {
	t := table{Title: "Calm? (definition 3.5)",
		Text: "At the shortest period that was calm, or the longest tried. Open: the interval " +
			"contains the threshold.",
		Head: []string{"program", "period", "CPU time", "time", "95 % interval", "paper", "time",
			"temporal",
			"paper", "temporal", "spatial", "paper", "spatial", "in all"}}
	for i := range results {
		r := &results[i]
		l := r.chosen()
		time, temporal, spatial := criteria(l)
		at := func(table map[string][]float64, format string) cell {
			if v, ok := paperAt(table, r.name, l.int("period_ms")); ok {
				return plain(fmt.Sprintf(format, v))
			}
			return plain("-")
		}
		t.Rows = append(t.Rows, []cell{{Text: r.name, Link: r.name + "/calm.html"},
			plain(l["period_ms"] + " ms"), plain(percentOf(l.num("cpu"))),
			plain(percentOf(l.num("time"))),
			plain(strings.TrimSuffix(percentOf(l.num("time_low_95")), " %") + " to " +
				percentOf(l.num("time_high_95"))),
			at(paperTime, "%+.2f %%"), judged(time), plain(digits(l.num("temporal"), 3)),
			at(paperTemporal, "%.2f"), judged(temporal), plain(digits(l.num("spatial"), 3)),
			at(paperSpatial, "%.2f"), judged(spatial), judged(l["verdict"])})
	}
	return t
}

// programs is figure 5.
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

// parameters is figure 6.
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

// over is table 2, of every program.
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

// series are a column's values at each period that was tried of any program, by period.
func series(results []result, column string, scale float64) (groups []string, out []chart.Series) {
	var periods []int
	for i := range results {
		groups = append(groups, results[i].name)
		for _, l := range results[i].overhead {
			if p := l.int("period_ms"); !slices.Contains(periods, p) {
				periods = append(periods, p)
			}
		}
	}
	slices.Sort(periods)
	for _, p := range periods {
		s := chart.Series{Name: fmt.Sprintf("%d ms", p)}
		for i := range results {
			v, lo, hi := math.NaN(), math.NaN(), math.NaN()
			for _, l := range results[i].overhead {
				if l.int("period_ms") != p {
					continue
				}
				v = scale * l.num(column)
				lo, hi = scale*l.num(column+"_low_95"), scale*l.num(column+"_high_95")
				if se := l.num(column + "_se"); !math.IsNaN(se) {
					lo, hi = v-1.96*se, min(v+1.96*se, 1)
				}
			}
			s.Values, s.Low, s.High = append(s.Values, v), append(s.Low, lo), append(s.High, hi)
		}
		out = append(out, s)
	}
	return groups, out
}

// differences is figure 10 (a) for a column.
func differences(results []result, name, column string) chart.Bars {
	f := chart.Bars{Title: "Difference of the " + name + ", observed to alone",
		Y: chart.Axis{Label: "difference", Unit: "%", Zero: true},
		Levels: []chart.Level{{Name: "threshold", At: 100 * calm.MaxTime},
			{At: -100 * calm.MaxTime}}}
	f.Groups, f.Series = series(results, column, 100)
	return f
}

// correspondence is figure 10 (b) or (c); false where no program has it.
func correspondence(results []result, column string) (chart.Bars, bool) {
	f := chart.Bars{Title: "Correspondence of frequencies, " + column,
		Y:      chart.Axis{Label: "correlation", Max: 1},
		Levels: []chart.Level{{Name: "threshold", At: calm.MinCorrelation}}}
	f.Groups, f.Series = series(results, column, 1)
	known := slices.ContainsFunc(f.Series, func(s chart.Series) bool {
		return slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) })
	})
	return f, known
}
