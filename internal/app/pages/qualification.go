package pages

import (
	"fmt"
	"html/template"
	"io"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// table has rows of text under a head.
type table struct {
	Head []string
	Rows [][]string
	Note string
	Text bool // every column has text
}

// section is a step on the page.
type section struct {
	ID, Title, Why, State string
	Checks                []check
	Facts                 [][2]string
	Figures               []template.HTML
	Tables                []table
	Missing               []qualify.Missing
}

// check is a check with the style of its answer.
type check struct {
	qualify.Check
	Mark, Class string
}

// QualificationHTML writes a result as a page.
func QualificationHTML(w io.Writer, r *qualify.Result) error {
	var sections []section
	nav := []chart.Link{{ID: "reason", Text: "verdict"}}
	for i := range r.Steps {
		s := sectionOf(r, &r.Steps[i])
		sections = append(sections, s)
		nav = append(nav, chart.Link{ID: s.ID, Text: s.Title})
	}
	shell := chart.Page{
		Title: "ebb qualify: " + string(r.Verdict.Answer), Heading: heading(r.Verdict.Answer),
		Nav: nav, Content: content,
		Data: map[string]any{"R": r, "Sections": sections, "Checks": checksOf(r, 0),
			"Planned": qualify.Span(r.Plan.Whole()), "Facts": machineFacts(r)},
	}
	return shell.Write(w)
}

// heading returns the verdict as the page's heading.
func heading(a qualify.Answer) string {
	switch a {
	case qualify.Believe:
		return "Believe ebb on this machine"
	case qualify.Within:
		return "Believe ebb on this machine, within these limits"
	case qualify.Not:
		return "Do not believe ebb on this machine"
	}
	return "Whether to believe ebb on this machine is not known"
}

// checksOf returns the checks of a step; of every step for 0.
func checksOf(r *qualify.Result, step int) (out []check) {
	for _, c := range r.Verdict.Checks {
		if step == 0 || c.Step == step {
			out = append(out, check{c, mark(c.Answer), classes[c.Answer]})
		}
	}
	return out
}

var classes = map[qualify.Answer]string{qualify.Believe: "good", qualify.Within: "warn",
	qualify.Not: "bad", qualify.Open: "open"}

func machineFacts(r *qualify.Result) [][2]string {
	m := &r.Machine
	kind := "a real machine"
	if m.Guest {
		kind = "a virtual machine"
	}
	facts := [][2]string{{"processor", m.Processor},
		{"machine", fmt.Sprintf("%s, %s%s", kind, printable.Count(m.CPUs, "CPU"), inCores(m))},
		{"kernel", m.Kernel}, {"ebb", r.Version}, {"date", r.Date},
		{"plan", fmt.Sprintf("%s: runs of %v, %s, %s", r.Plan.Mode, r.Plan.Each(),
			printable.Count(r.Plan.Rounds, "round"), printable.Count(r.Plan.Clocks, "clock"))}}
	if m.Guest {
		facts = append(facts, [2]string{"threads", "virtual CPUs can share one CPU of the host: " +
			"there the times of threads that wait for each other say little"})
	}
	return facts
}

// inCores says how many CPUs, cores and packages there are, where the machine says it.
func inCores(m *qualify.Machine) string {
	if m.Cores == 0 {
		return ""
	}
	return ", " + printable.Count(m.Cores, "core") + ", " + printable.Count(m.Packages, "package")
}

var content = chart.Content("qualify", `<style>
.qualify td.good { color: var(--good, #1b8a5a); font-weight: 600; } .qualify td.warn { color: #b36b00; font-weight: 600; }
.qualify td.bad { color: #b3261e; font-weight: 600; } .qualify td.open { font-weight: 600; }
@media (prefers-color-scheme: dark) { .qualify td.good { color: #4fc08d; } .qualify td.warn { color: #f0a24a; } .qualify td.bad { color: #ff8a80; } }
</style>
<div class="qualify">
<p class="lead" id="reason">The reason: {{.R.Verdict.Sentence}}.{{if .R.Interrupted}} It was interrupted: this is what was finished.{{end}}</p>
<div class="scroll"><table class="text"><thead><tr><th>step</th><th>question</th><th>answer</th><th>found</th><th>threshold (believe; within limits)</th></tr></thead><tbody>
{{range .Checks}}<tr><td><a href="#step{{.Step}}">{{.Step}}</a></td><td>{{.Question}}</td><td class="{{.Class}}">{{.Mark}}</td><td>{{.Found}}</td><td>{{.Threshold}}</td></tr>
{{end}}</tbody></table></div>
<table class="text"><tbody>{{range .Facts}}<tr><td>{{index . 0}}</td><td>{{index . 1}}</td></tr>{{end}}</tbody></table>
{{range .Sections}}<h2 id="{{.ID}}">{{.Title}}</h2>
<p>{{.Why}}. {{.State}}.</p>
{{if .Facts}}<table class="text"><tbody>{{range .Facts}}<tr><td>{{index . 0}}</td><td>{{index . 1}}</td></tr>{{end}}</tbody></table>{{end}}
{{range .Figures}}{{.}}{{end}}
{{range .Tables}}{{with .Note}}<p>{{.}}</p>{{end}}<div class="scroll"><table{{if .Text}} class="text"{{end}}><thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
{{if .Missing}}<p>It did without:</p><ul>{{range .Missing}}<li>{{.What}}: {{.Absence}} ({{.Because}})</li>{{end}}</ul>{{end}}
{{end}}</div>
`)
