package accuracy

import "github.com/ebb-energy/ebb/internal/page"

// content is the content of HTML's page. Its figures come from Result.HTML.
var content = page.Content("accuracy", `<p>Each program was run at several frequencies. From the run at one, its time at another is predicted and set against what was
measured there: (predicted - measured) / measured, in percent. Means are of absolute values. The column "paper" has what
the authors of DEP+BURST found on their programs. "bound" predicts with every thread's own running times taken from the
target run, found again by instruction counts: what it misses by comes from threads waiting in another order.</p>
<p>M+CRIT, COOP and DEP without BURST are worse than DEP+BURST, most from the high frequency down, as the paper says. Where they
are not: CRIT as printed counts a load's whole latency and only loads that went to memory, so that it is too high for
streams (streambw) and blind where lines come from the shared cache or from other cores (bfs, stages3); the two can cancel
other things that a model leaves out. The time in which the store queue was full also holds stores that wait for nothing but
computing (rt_alloc). Algorithm 1 lets a thread forget how far it was ahead as soon as it sleeps: at a barrier the next phase
then begins when the thread arrives that came last at the base frequency, though another may come last at the target
(flip).</p>
<details><summary>The models</summary><table class="text">{{range .Models}}<tr><td>{{.Name}}</td><td>{{.What}}</td></tr>{{end}}</table></details>
<h2 id="means">Mean absolute error</h2>
<div class="scroll"><table><thead><tr><th>model</th>{{range .Summary.Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range $i, $r := .Summary.Rows}}<tr class="{{if .Bound}}bound{{else if lt $i 3}}bold{{end}}"><td>{{.Name}}</td>{{range .Cells}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{range .PairTables}}<h2>{{.Title}}</h2><div class="scroll"><table><thead><tr><th>pair</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
{{range .Sections}}<h2 id="{{.ID}}">{{.Title}}</h2>
{{.Plot}}
<div class="scroll"><table><thead><tr><th>model</th><th>mean abs</th><th>worst</th><th>paper</th>{{range .Workloads}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range $i, $r := .Rows}}<tr class="{{if .Bound}}bound{{else if lt $i 3}}bold{{end}}"><td title="{{.What}}">{{.Name}}</td><td class="mean">{{.Mean}}</td><td>{{.Worst}}</td><td class="divided">{{.Paper}}</td>{{range .Errors}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{if .Limits}}<details open><summary>What limits each workload</summary><table class="text">{{range .Limits}}<tr><td>{{.Name}}</td><td class="number">{{.Error}}</td><td>{{.Why}}</td></tr>{{end}}</table></details>{{end}}
{{end}}
{{if .Ablations}}<h2 id="rules">What rules are worth</h2>
<p>Mean absolute errors of the default model with a rule, and below without it: on the programs that did not motivate the rule,
and on all.</p>
{{range .Ablations}}<h2>{{.Title}}</h2><div class="scroll"><table><thead><tr><th>estimator, set, programs</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}{{end}}
{{if .Holdouts}}<h2 id="constants">Constants chosen anew</h2>
<p>Some constants of the predictor were read off programs such as these, so that the errors above flatter them. Here a search
by rote chooses them, each from a few values, to make the mean error of some programs least, and the errors of others are
measured: from all programs (nothing held out), for each program from all the others, and for each half of the programs from
the other, at random. Then the same for each constant alone, the others as shipped, beside what its rule is worth. Where a
choice from other programs does worse than what is shipped, the search has found something that those programs have in
common by accident: that is why the constants are latencies and bounds with a reason, and not the search's.</p>
{{range .Holdouts}}<h2>{{.Title}}</h2><div class="scroll"><table><thead><tr><th>constants</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}{{if .Head}}<tr class="bold"><td colspan="{{.Span}}">{{.Name}}</td></tr>{{else}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>{{end}}
{{end}}</tbody></table></div>{{end}}{{end}}`)
