package accuracy

import "github.com/ebb-energy/ebb/internal/render/chart"

// content is the content of HTML's page. Its figures come from Result.HTML.
var content = chart.Content("accuracy", `{{range .Findings}}<p class="lead">{{.}}</p>
{{end}}{{.Lead}}
<p>Each program was run at several frequencies. From the run at one, its time at another is predicted and set against what was
measured there.</p>
<h2 id="means">Mean absolute error</h2>
<div class="scroll"><table><thead><tr><th>model</th>{{range .Summary.Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Summary.Rows}}<tr class="{{if .Bound}}bound{{else if .Own}}bold{{end}}"><td>{{.Name}}</td>{{range .Cells}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
<h2 id="terms">Terms</h2>
<table class="text"><tbody>
<tr><th scope="row">error</th><td>(predicted - measured) / measured, in percent. Above zero the model predicts a run that is too long.</td></tr>
<tr><th scope="row">mean abs, worst</th><td>the mean and the greatest of the errors' absolute values, over the programs of a set</td></tr>
<tr><th scope="row">1→4</th><td>predicted for 4 GHz from a run at 1 GHz</td></tr>
<tr><th scope="row">paper</th><td>what the authors of DEP+BURST found on their programs</td></tr>
<tr><th scope="row">shades</th><td>errors from 5, from 12 and from 30 %</td></tr>
<tr><th scope="row">an arrow</th><td>a mark outside a drawing's frame lies beyond {{.Range}} %; the number beside it is its error</td></tr>
{{range .Sets}}{{if .What}}<tr><th scope="row">{{.Title}}</th><td>{{.What}}</td></tr>
{{end}}{{end}}<tr><th scope="row">epoch</th><td>a stretch of time between two events at which a thread goes to sleep or wakes</td></tr>
<tr><th scope="row">critical thread</th><td>the thread that decides how long an epoch lasts: per-epoch it is found in each epoch alone; Algorithm 1 carries a thread's lead on to the next</td></tr>
<tr><th scope="row">CRIT</th><td>counts as not scaling the latency of loads that go to memory, along the chain of those that wait for each other</td></tr>
<tr><th scope="row">BURST</th><td>also counts as not scaling the time in which the store queue is full</td></tr>
<tr><th scope="row">bound</th><td>predicts with every thread's own running times taken from the target run, found again by instruction counts: what it misses by comes from threads waiting in another order</td></tr>
{{range .Models}}<tr><th scope="row">{{.Name}}</th><td>{{.What}}</td></tr>
{{end}}</tbody></table>
<details><summary>Where models without BURST are not worse</summary>
<p>M+CRIT, COOP and DEP without BURST are worse than DEP+BURST, most from the high frequency down, as the paper says. Where they
are not: CRIT as printed counts a load's whole latency and only loads that went to memory, so that it is too high for
streams (streambw) and blind where lines come from the shared cache or from other cores (bfs, stages3); the two can cancel
other things that a model leaves out. The time in which the store queue was full also holds stores that wait for nothing but
computing (rt_alloc). Algorithm 1 lets a thread forget how far it was ahead as soon as it sleeps: at a barrier the next phase
then begins when the thread arrives that came last at the base frequency, though another may come last at the target
(flip).</p></details>
{{range .Sets}}<h2 id="{{.ID}}">{{.Title}}</h2>
{{with .What}}<p>{{.}}</p>{{end}}<nav>{{range .Nav}}<a href="#{{.ID}}">{{.Text}}</a> {{end}}</nav>
<h3>{{.Pairs.Title}}</h3><div class="scroll"><table><thead><tr><th>pair</th>{{range .Pairs.Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Pairs.Rows}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{with .Pairs.Note}}<p>{{.}}</p>{{end}}
{{range .Sections}}<h3 id="{{.ID}}">{{.Title}}</h3>
{{.Plot}}
<div class="scroll"><table class="dense"><thead><tr><th>model</th><th>mean abs</th><th>worst</th><th>paper</th>{{range .Workloads}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr class="{{if .Bound}}bound{{else if .Own}}bold{{end}}"><td title="{{.What}}">{{.Name}}</td><td class="mean">{{.Mean}}</td><td>{{.Worst}}</td><td class="divided">{{.Paper}}</td>{{range .Errors}}<td class="h{{.Heat}}">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{if .Limits}}<details open><summary>What limits each workload</summary><table class="text">{{range .Limits}}<tr><td>{{.Name}}</td><td class="number">{{.Error}}</td><td>{{.Why}}</td></tr>{{end}}</table></details>{{end}}
{{end}}{{end}}
{{if .Ablations}}<h2 id="rules">What rules are worth</h2>
<p>Mean absolute errors of the default model with a rule, and below without it: on the programs that did not motivate the rule,
and on all.</p>
{{range .Ablations}}<h3>{{.Title}}</h3><div class="scroll"><table><thead><tr><th>estimator, set, programs</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}{{end}}
{{if .Holdouts}}<h2 id="constants">Constants chosen anew</h2>
<p>Some constants of the predictor were read off programs such as these, so that the errors above flatter them. Here a search
by rote chooses them, each from a few values, to make the mean error of some programs least, and the errors of others are
measured: from all programs (nothing held out), for each program from all the others, and for each half of the programs from
the other, at random. Then the same for each constant alone, the others as shipped, beside what its rule is worth. Where a
choice from other programs does worse than what is shipped, the search has found something that those programs have in
common by accident: that is why the constants are latencies and bounds with a reason, and not the search's.</p>
{{range .Holdouts}}<h3>{{.Title}}</h3><div class="scroll"><table><thead><tr><th>constants</th>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}{{if .Head}}<tr class="bold"><td colspan="{{.Span}}">{{.Name}}</td></tr>{{else}}<tr><td>{{.Name}}</td>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>{{end}}
{{end}}</tbody></table></div>{{end}}{{end}}`)
