package chappie

import (
	"html/template"
	"io"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// writePage writes chappie.html.
func writePage(w io.Writer, results []result) error {
	var power []string
	for i := range results {
		if p := results[i].program["power"]; !slices.Contains(power, p) {
			power = append(power, p)
		}
	}
	tables := []table{verdicts(results), frequencies(results), programs(results),
		parameters(results), over(results)}
	figures := []template.HTML{chart.FigureHTML(differences(results, "time", "time"))}
	if slices.ContainsFunc(results, func(r result) bool { return r.chosen()["undelayed"] != "" }) {
		figures = append(figures, chart.FigureHTML(differences(results,
			"time without waiting for CPUs", "undelayed")))
	}
	figures = append(figures,
		chart.FigureHTML(differences(results, "CPU time, no criterion", "cpu")))
	for _, c := range []string{"temporal", "spatial"} {
		if f, ok := correspondence(results, c); ok {
			figures = append(figures, chart.FigureHTML(f))
		}
	}
	shell := chart.Page{Heading: "Chappie's evaluation on this machine", Content: content,
		Data: map[string]any{"Tables": tables, "Figures": figures, "Power": power}}
	return shell.Write(w)
}

var content = chart.Content("chappie", `<p>Each program ran alone and under <code>ebb run --methods</code>, in turn, and does the same work in every run.
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
