package eval

import "github.com/ebb-energy/ebb/internal/render/chart"

// content is the content of WriteHTML's page.
var content = chart.Content("eval", `{{range .Findings}}<p class="lead">{{.}}</p>
{{end}}{{.Lead}}
<p>Akram, Sartor and Eeckhout evaluated DEP+BURST on a simulator; so does this page, on ebb's. Programs, machine and power differ from theirs,
so what can be compared is the order of things and the effect of a choice, less a single number. Diamonds (&#9671;) mark what the paper's text
states; what only its drawings show has no mark. Error bars reach from the least to the greatest over seeds.</p>
<p class="soft">ebb {{.Version}}, seed {{.Seed}}, {{.Seeds}} {{if eq .Seeds 1}}run{{else}}runs{{end}} of each kind where not said otherwise, {{.Runs}} runs in all{{if .Quick}}; the quick variant{{end}}.
{{- with .Method}} Runs under ebb have other methods than its own: {{.}}.{{end}}
The same seed and version give the same page.</p>
{{if .Criteria}}<h2 id="aims">What was aimed at: {{.Met}} of {{len .Criteria}} met</h2>
<div class="scroll"><table class="text"><thead><tr><th>aim</th><th>found</th><th></th><th>where, and what stands in the way</th></tr></thead><tbody>
{{range .Criteria}}<tr><td>{{.Aim}}</td><td>{{.Found}}</td><td class="{{if .Met}}yes{{else}}no{{end}}">{{if .Met}}met{{else}}not met{{end}}</td><td>{{.Where}}</td></tr>
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
`)
