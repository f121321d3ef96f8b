package bench

import (
	"encoding/json"
	"html/template"
	"io"

	"github.com/ebb-energy/ebb/internal/chart"
)

// WriteJSON writes the result for machines.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteHTML writes the result as a page that needs nothing else.
func (r *Result) WriteHTML(w io.Writer) error {
	var optima []sentence
	for i := range r.Optima {
		optima = append(optima, r.Optima[i].sentences()...)
	}
	var planes []template.HTML
	for _, p := range r.planes() {
		planes = append(planes, template.HTML(p.SVG()))
	}
	var table [][]string
	if r.Rounds > 0 {
		table = r.table()
	}
	type row struct {
		Cells []string
		Own   bool
	}
	var rows []row
	for i := range r.Rows {
		rows = append(rows, row{table[i+1], r.Rows[i].Kind != Static})
	}
	var head []string
	if len(table) > 0 {
		head = table[0]
	}
	return page.Execute(w, map[string]any{
		"CSS": template.CSS(chart.CSS), "Title": r.Title(), "Subtitle": r.Subtitle(), "Highest": r.Plan.Highest().Frequency, "Planes": planes, "Beyond": r.beyond(),
		"Head": head, "Rows": rows, "Optima": optima, "Findings": r.findings(), "Notes": r.Notes, "Plan": r.Plan,
	})
}

var page = template.Must(template.New("bench").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ebb bench: {{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5c6b7a; --line: #d8dee5; --back: #ffffff; --panel: #f5f7f9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e9ef; --soft: #9fadba; --line: #36424e; --back: #141a20; --panel: #1c242c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 1160px; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { max-width: 50rem; color: var(--soft); margin: .5rem 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; } thead th { color: var(--soft); font-weight: 500; }
tr.own td { background: var(--panel); } tr.own td:first-child { font-weight: 600; }
ul, dl { margin: .3rem 0; max-width: 60rem; } ul { padding-left: 1.2rem; } dt { margin-top: .45rem; font-weight: 600; } dd { margin-left: 1.2rem; }
details { margin: 1.5rem 0; } summary { cursor: pointer; color: var(--soft); }
{{.CSS}}
</style></head><body>
<h1>{{.Title}}</h1>
<p>{{.Subtitle}}. All figures are against always {{.Highest}}. Intervals are 95 %, one by one (of twenty, one is expected to
miss): Student's t on the logarithms of the ratios to the run at the highest frequency of the same round.</p>
{{if .Findings}}<h2>ebb</h2><dl>{{range .Findings}}{{if .Sub}}<dd>{{.Text}}</dd>{{else}}<dt>{{.Text}}</dt>{{end}}{{end}}</dl>{{end}}
{{range .Planes}}{{.}}{{end}}
{{if .Beyond}}<p>Not in the drawing, as more than three times as slow as the rest: {{.Beyond}}.</p>{{end}}
{{if .Optima}}<h2>Static optimum</h2>
<p>The best frequency is chosen from the odd rounds and measured on the even ones, and the other way round, as the figures of the
rounds that choose it are too good by their luck.</p>
<dl>{{range .Optima}}{{if .Sub}}<dd>{{.Text}}</dd>{{else}}<dt>{{.Text}}</dt>{{end}}{{end}}</dl>{{end}}
{{if .Rows}}<h2>Every setting</h2>
<div class="scroll"><table><thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr{{if .Own}} class="own"{{end}}>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
{{if .Notes}}<h2>Notes</h2><ul>{{range .Notes}}<li>{{.}}</li>{{end}}</ul>{{end}}
<details><summary>How it was measured</summary>
<table><tbody>
{{with .Plan}}{{if .Command}}<tr><td>command</td><td>{{range .Command}}{{.}} {{end}}</td></tr>{{end}}{{if .Workload}}<tr><td>workload</td><td>{{.Workload}}</td></tr>{{end}}
<tr><td>machine</td><td>{{with .Machine}}{{if .Simulated}}simulated, {{.Simulated}}{{else}}{{.CPU}}, Linux {{.Kernel}}{{end}}, {{.CPUs}} CPUs, frequency set by {{.Actuator}}{{end}}</td></tr>
<tr><td>energy</td><td>{{.Source}}</td></tr><tr><td>warm-up runs</td><td>{{.WarmUp}}</td></tr><tr><td>seed of the order</td><td>{{.Seed}}</td></tr>
<tr><td>options</td><td>{{range .Options}}{{.}} {{end}}</td></tr><tr><td>ebb</td><td>{{.Version}}</td></tr>{{end}}
</tbody></table></details>
</body></html>
`))
