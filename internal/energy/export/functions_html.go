package export

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed functions.tmpl
var functionsText string

var functionsContent = chart.Content("functions", runText+functionsText)

// Bounds of what the page shows.
const (
	maxSpreads       = 24
	maxSpreadName    = 36  // characters
	maxBins          = 256 // bins of a spread, for energies of all sizes
	maxFunctionLines = 400
	maxUncalledLines = 1000
)

// FunctionsHTML writes a page that needs nothing else: what the run was, how the energies of the
// functions' invocations are spread, all functions with their calls, and those that nobody called.
func FunctionsHTML(w io.Writer, run *Run, p *profile.Profile) error {
	f, a := p.Functions, p.Amounts()
	data := functionsPage{Run: run.section(), Amount: a.Name(), Joules: a.Joules(),
		Coverage: printable.Name(f.Coverage()), Gaps: shown(f.Gaps()),
		Counters: shown(f.Counters), Period: time.Duration(f.PeriodNS)}
	if spreads := spreadsOf(f, a); len(spreads.Rows) > 0 {
		data.Spreads = chart.FigureHTML(spreads)
	}
	for i := range f.List[:min(len(f.List), maxFunctionLines)] {
		data.Rows = append(data.Rows, functionLineOf(&f.List[i], a, len(f.Counters)))
	}
	data.More = len(f.List) + f.More - len(data.Rows)
	for i := range f.Uncalled[:min(len(f.Uncalled), maxUncalledLines)] {
		x := &f.Uncalled[i]
		data.Uncalled = append(data.Uncalled,
			short(printable.Name(x.Name))+" ("+short(printable.Name(x.Module))+")")
	}
	data.Instrumented = f.Instrumented
	data.Never, data.MoreUncalled = f.Never, f.Never-len(data.Uncalled)
	shell := chart.Page{
		Heading: printable.Name(run.Name) + ": calls, and the " + a.Name() + " of an invocation",
		Content: functionsContent, Data: data,
	}
	if err := shell.Write(w); err != nil {
		return fmt.Errorf("write the functions: %w", err)
	}
	return nil
}

// functionsPage has the values that the template shows.
type functionsPage struct {
	Run                       runSection
	Amount                    string
	Joules                    bool
	Coverage                  string
	Gaps, Counters, Uncalled  []string
	Period                    time.Duration
	Spreads                   template.HTML
	Rows                      []functionLine
	More, Never, MoreUncalled int
	Instrumented              int
}

// functionLine is a function's row, with a dash for what is not known.
type functionLine struct {
	Calls, Energy, Interval, Deviation, Least, Most, CPU, Clock, Total, Sampled, Name string
	Records                                                                           int
	Counts                                                                            []string
}

func functionLineOf(x *profile.Function, a profile.Amounts, counters int) functionLine {
	const none = "–"
	l := functionLine{Calls: strconv.FormatUint(x.Calls, 10), Records: x.Records, Energy: none,
		Interval: none, Deviation: none, Least: none, Most: none, CPU: none, Clock: none,
		Total: none, Sampled: none, Name: short(printable.Name(x.Name))}
	for k := range counters {
		text := none
		if k < len(x.Counts) {
			text = strconv.FormatFloat(x.Counts[k], 'g', 4, 64)
		}
		l.Counts = append(l.Counts, text)
	}
	if x.Recursive {
		l.Name += " (recursive)"
	}
	if x.Records == 0 {
		return l
	}
	if x.FreqHz > 0 {
		l.Clock = x.Clock()
	}
	energy := a.One
	l.Energy, l.Total = energy(x.MeanNJ), x.Total(a, none)
	if x.Short {
		l.Interval, l.CPU = "by samples", "short"
		return l
	}
	if x.LowNJ != nil && x.HighNJ != nil {
		l.Interval = energy(*x.LowNJ) + " to " + energy(*x.HighNJ)
	}
	if l.Least, l.Most = energy(x.LeastNJ), energy(x.MostNJ); x.Records > 1 {
		l.Deviation = energy(x.DeviationNJ)
	}
	l.CPU = x.CPUTime()
	if d, known := x.Discrepancy(); known {
		l.Sampled = fmt.Sprintf("%+.1f %%", 100*d)
	}
	return l
}

// spreadsOf draws the functions with the most energy whose invocations were measured several times.
func spreadsOf(f *profile.Functions, a profile.Amounts) chart.Spreads {
	out := chart.Spreads{Title: "Energy of an invocation", Label: a.Name(),
		Desc: "By function: how many records have which " + a.Name() + ", and the mean",
		Text: func(v float64) string { return a.One(int64(min(v, 1<<62))) }}
	if !a.Joules() {
		out.Title = "CPU time of an invocation"
	}
	var names []string
	for i := range f.List {
		x := &f.List[i]
		if x.Short || x.Records < 2 || len(x.Spread) == 0 {
			continue
		}
		s := chart.Spread{Name: short(printable.Name(x.Name)), Mean: float64(x.MeanNJ),
			Low: math.NaN(), High: math.NaN()}
		if x.LowNJ != nil && x.HighNJ != nil {
			s.Low, s.High = float64(*x.LowNJ), float64(*x.HighNJ)
		}
		for _, b := range x.Spread[:min(len(x.Spread), maxBins)] {
			s.Bins = append(s.Bins, chart.Bin{From: float64(b.FromNJ), To: float64(b.ToNJ),
				Count: b.Records})
		}
		names = append(names, s.Name)
		if out.Rows = append(out.Rows, s); len(out.Rows) == maxSpreads {
			break
		}
	}
	for i, name := range printable.Narrow(names, maxSpreadName) {
		out.Rows[i].Name = name
	}
	return out
}
