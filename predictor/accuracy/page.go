package accuracy

import "html/template"

// page is the page of HTML. Its figures come from Result.HTML.
var page = template.Must(template.New("accuracy").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>ebb: accuracy of the predictions</title>
<style>
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5c6b7a; --line: #d8dee5; --back: #ffffff; 
  --warm1: #fdf0d5; --warm2: #f8d4a8; --warm3: #f0aa8c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e9ef; --soft: #9fadba; --line: #36424e; --back: #141a20; 
  --warm1: #3a3220; --warm2: #5a3f1f; --warm3: #713524; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 1240px; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin-bottom: .3rem; } h2 { font-size: 1.15rem; margin: 2.6rem 0 .6rem; }
p { max-width: 46rem; color: var(--soft); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .55rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } thead th { color: var(--soft); font-weight: 500; }
tr.own td { font-weight: 600; } tr.bound td { color: var(--soft); font-style: italic; }
td.h1 { background: var(--warm1); } td.h2 { background: var(--warm2); } td.h3 { background: var(--warm3); }
td.mean { font-weight: 600; } td.last { border-right: 1px solid var(--line); }
table.why td { white-space: normal; text-align: left; } table.why td:nth-child(2) { text-align: right; }
{{.ChartCSS}}
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--soft); }
</style></head><body>
<h1>Accuracy of the predictions</h1>
<p>Each program was run at several frequencies. From the run at one, its time at another is predicted and set against what was
measured there: (predicted - measured) / measured, in percent. Means are of absolute values. The column "paper" has what
the authors of DEP+BURST found on their programs. "bound" predicts with every thread's own running times taken from the
target run, found again by instruction counts: what it misses by comes from threads waiting in another order.</p>
<p>M+CRIT, COOP and DEP without BURST are worse than DEP+BURST, most from the high frequency down, as the paper says. Where they
are not: CRIT as printed counts a load's whole latency and only loads that went to memory, so that it is too high for
streams (streambw) and blind where lines come from the shared cache or from other cores (bfs, stages3); the two can cancel
what else a model leaves out. The time in which the store queue was full also holds stores that wait for nothing but
computing (rt_alloc). Algorithm 1 lets a thread forget how far it was ahead as soon as it sleeps: at a barrier the next phase
then begins when the thread arrives that came last at the base frequency, though another may come last at the target
(flip).</p>
<details><summary>The models</summary><table class="why">{{range .Models}}<tr><td>{{.Name}}</td><td></td><td>{{.What}}</td></tr>{{end}}</table></details>
<h2>Mean absolute error</h2>
<div class="scroll"><table><thead><tr><th>model</th>{{range .Summary.Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range $i, $r := .Summary.Rows}}<tr class="{{if .Bound}}bound{{else if lt $i 3}}own{{end}}"><td>{{.Name}}</td>{{range .Cells}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{range .Sections}}<h2>{{.Title}}</h2>
{{.Plot}}
<div class="scroll"><table><thead><tr><th>model</th><th>mean abs</th><th>worst</th><th>paper</th>{{range .Workloads}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range $i, $r := .Rows}}<tr class="{{if .Bound}}bound{{else if lt $i 3}}own{{end}}"><td title="{{.What}}">{{.Name}}</td><td class="mean">{{.Mean}}</td><td>{{.Worst}}</td><td class="last">{{.Paper}}</td>{{range .Errors}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{if .Limits}}<details open><summary>What limits each workload</summary><table class="why">{{range .Limits}}<tr><td>{{.Name}}</td><td>{{.Error}}</td><td>{{.Why}}</td></tr>{{end}}</table></details>{{end}}
{{end}}
{{if .Holdouts}}<h2>Constants chosen anew</h2>
<p>Some constants of the predictor were read off programs such as these, so that the errors above flatter them. Here a search
by rote chooses them, each from a few values, to make the mean error of some programs least, and the errors of others are
measured: from all programs (nothing held out), for each program from all the others, and for each half of the programs from
the other, at random. Then the same for each constant alone, the others as shipped, beside what its rule is worth. Where a
choice from other programs does worse than what is shipped, the search has found something that those programs have in
common by accident: that is why the constants are latencies and bounds with a reason, and not the search's.</p>
{{range .Holdouts}}<h2>{{.Title}}</h2><div class="scroll"><table><thead><tr><th>constants</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}{{if .Head}}<tr class="own"><td colspan="{{.Span}}">{{.Name}}</td></tr>{{else}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>{{end}}
{{end}}</tbody></table></div>{{end}}{{end}}</body></html>
`))
