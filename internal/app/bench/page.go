package bench

import (
	"encoding/json"
	"html/template"
	"io"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// writeJSON writes the result for machines.
func (r *Result) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// writeHTML writes the result as a page that needs nothing else.
func (r *Result) writeHTML(w io.Writer) error {
	var optima []sentence
	for i := range r.Optima {
		optima = append(optima, r.Optima[i].sentences()...)
	}
	var planes []template.HTML
	for _, p := range r.planes() {
		planes = append(planes, chart.FigureHTML(p))
	}
	var gains template.HTML
	if g, ok := r.gains(); ok {
		gains = chart.FigureHTML(g)
	}
	head, rows, source := r.pageTable()
	shell := chart.Page{
		Title: "ebb bench: " + r.title(), Heading: r.title(), Content: content,
		Data: map[string]any{
			"Subtitle": r.subtitle(), "Highest": r.Plan.highest().Frequency, "Planes": planes,
			"Verdicts": r.verdicts(),
			"Beyond":   r.beyond(), "Reach": percent(r.reach(), 0, "") + " %",
			"Gains": gains, "Head": head, "Rows": rows, "Same": source, "Optima": optima,
			"Findings": r.findings(), "Notes": r.Notes, "Plan": r.Plan,
		},
	}
	return shell.Write(w)
}

// content is the content of WriteHTML's page.
var content = chart.Content("bench", `{{if .Verdicts}}<dl id="verdicts" class="lead">{{range .Verdicts}}{{if .Sub}}<dd>{{.Text}}</dd>{{else}}<dt>{{.Text}}</dt>{{end}}{{end}}</dl>{{end}}
<p class="soft">All figures are against always {{.Highest}}, with 95 % intervals: {{.Subtitle}}.</p>
<div class="figures">{{range .Planes}}{{.}}{{end}}{{.Gains}}</div>
{{if .Findings}}<h2>ebb</h2><dl>{{range .Findings}}{{if .Sub}}<dd>{{.Text}}</dd>{{else}}<dt>{{.Text}}</dt>{{end}}{{end}}</dl>{{end}}
{{if .Beyond}}<p>Not in the drawing, as beyond a slowdown of {{.Reach}}: {{.Beyond}}.</p>{{end}}
{{if .Optima}}<h2>Static optimum</h2>
<p>The best frequency is chosen from the odd rounds and measured on the even ones, and the other way round, as the figures of the
rounds that choose it are too good by their luck.</p>
<dl>{{range .Optima}}{{if .Sub}}<dd>{{.Text}}</dd>{{else}}<dt>{{.Text}}</dt>{{end}}{{end}}</dl>{{end}}
{{if .Rows}}<h2>Every setting</h2>
<p>Below a difference stands its interval.{{with .Same}} Energy: {{.}}.{{end}}</p>
<div class="scroll"><table{{if not .Same}} class="remarks"{{end}}><thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr{{if .Own}} class="own shaded"{{end}}>{{range .Cells}}<td>{{.Text}}{{with .Interval}}<br><small>{{.}}</small>{{end}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
{{if .Notes}}<h2>Notes</h2><ul>{{range .Notes}}<li>{{.}}</li>{{end}}</ul>{{end}}
<details><summary>How it was measured</summary>
<p>Intervals are 95 %, one by one (of twenty, one is expected to miss): Student's t on the logarithms of the ratios to the run
at the highest frequency of the same round.</p>
<table class="text"><tbody>
{{with .Plan}}{{if .Command}}<tr><td>command</td><td>{{range .Command}}{{.}} {{end}}</td></tr>{{end}}{{if .Workload}}<tr><td>workload</td><td>{{.Workload}}</td></tr>{{end}}
<tr><td>machine</td><td>{{with .Machine}}{{if .Simulated}}simulated, {{.Simulated}}{{else}}{{.CPU}}, Linux {{.Kernel}}{{end}}, {{.CPUs}} CPUs, frequency set by {{.Actuator}}{{end}}</td></tr>
<tr><td>energy</td><td>{{.Source}}</td></tr><tr><td>warm-up runs</td><td>{{.WarmUp}}</td></tr><tr><td>seed of the order</td><td>{{.Seed}}</td></tr>
<tr><td>options</td><td>{{range .Options}}{{.}} {{end}}</td></tr><tr><td>ebb</td><td>{{.Version}}</td></tr>{{end}}
</tbody></table></details>
`)
