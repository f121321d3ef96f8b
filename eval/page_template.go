package eval

import "html/template"

// page is the page of WriteHTML.
var page = template.Must(template.New("eval").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ebb: the evaluation of DEP+BURST, repeated</title>
<style>
:root { color-scheme: light dark; --ink: #1d2733; --soft: #566472; --line: #d8dee5; --back: #ffffff; --good: #1b7a4e; --bad: #b23b2e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e9ef; --soft: #a3b1be; --line: #36424e; --back: #12181e; --good: #58c48f; --bad: #ef8d7d; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 1120px; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin-bottom: .3rem; } h2 { font-size: 1.2rem; margin: 2.8rem 0 .5rem; }
p { max-width: 50rem; margin: .4rem 0; } p.soft, li.soft { color: var(--soft); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; margin: .5rem 0; }
th, td { padding: .26rem .55rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { text-align: left; white-space: nowrap; } thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; }
td small { color: var(--soft); white-space: nowrap; } table.text td, table.text th { text-align: left; white-space: normal; }
table.text td.yes, table.text td.no { white-space: nowrap; } td.yes { color: var(--good); font-weight: 600; } td.no { color: var(--bad); font-weight: 600; }
nav a { margin-right: .6rem; color: inherit; } details { margin: .6rem 0; } summary { cursor: pointer; color: var(--soft); }
{{.CSS}}</style></head><body>
<h1>The evaluation of DEP+BURST, repeated</h1>
<p>Akram, Sartor and Eeckhout evaluated DEP+BURST on a simulator; so does this page, on ebb's. Programs, machine and power differ from theirs,
so what can be compared is the order of things and the effect of a choice, less a single number. Diamonds (&#9671;) mark what the paper's text
states; what only its drawings show has no mark. Error bars reach from the least to the greatest over seeds.</p>
<p class="soft">ebb {{.Version}}, seed {{.Seed}}, {{.Seeds}} {{if eq .Seeds 1}}run{{else}}runs{{end}} of each kind where not said otherwise, {{.Runs}} runs in all{{if .Quick}}; the quick variant{{end}}.
{{- with .Method}} Runs under ebb have other methods than its own: {{.}}.{{end}}
The same seed and version give the same page.</p>
<nav>{{range .Parts}}<a href="#f{{.Name}}">{{.Name}}</a>{{end}}<a href="#machine">machine</a></nav>
{{if .Criteria}}<h2>What was aimed at</h2>
<div class="scroll"><table class="text"><thead><tr><th>aim</th><th>found</th><th></th><th>where, and what stands in the way</th></tr></thead><tbody>
{{range .Criteria}}<tr><td style="white-space:normal">{{.Aim}}</td><td>{{.Found}}</td><td class="{{if .Met}}yes{{else}}no{{end}}">{{if .Met}}met{{else}}not met{{end}}</td><td>{{.Where}}</td></tr>
{{end}}</tbody></table></div>{{end}}
{{range .Parts}}<h2 id="f{{.Name}}">{{.Heading}}</h2>
<p>{{.What}}</p>{{if .Differs}}<p class="soft">{{.Differs}}</p>{{end}}
{{range .Charts}}{{.}}
{{end}}{{if .Table.Rows}}<details><summary>The numbers; what the paper's text states in brackets</summary><div class="scroll"><table><thead><tr>{{range .Table.Head}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Table.Rows}}<tr>{{range .}}<td>{{.Text}}{{if .Paper}} <small>({{.Paper}})</small>{{end}}</td>{{end}}</tr>
{{end}}</tbody></table></div></details>{{end}}
{{end}}
<h2 id="machine">The machine and the programs</h2>
{{range .Machine.Notes}}<p>{{.}}</p>{{end}}
<div class="scroll"><table class="text"><thead><tr><th>machine</th><th>what it is</th><th>cores</th><th>states</th><th>from request to effect</th><th>reorder buffer, store queue</th><th>shared cache, memory</th></tr></thead><tbody>
{{range .Machine.Profiles}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{if .Machine.Programs}}<p>The seven programs at 1 GHz, with the paper's Table 1 in brackets:</p>
<div class="scroll"><table><thead><tr><th>program</th><th>class in Table 1</th><th>run time, ms</th><th>in collection</th><th>epochs per ms</th><th>processor power at 4 GHz, W</th></tr></thead><tbody>
{{range .Machine.Programs}}<tr>{{range .}}<td>{{.Text}}{{if .Paper}} <small>({{.Paper}})</small>{{end}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
</body></html>
`))
