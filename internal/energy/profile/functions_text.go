package profile

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// WriteText prints the first functions, at most top, on a page of a width; 0 for all.
func (f *Functions) WriteText(w io.Writer, a Amounts, top, width int) error {
	var b strings.Builder
	printable.Fprintf(&b, "%s\n", f.Coverage())
	printable.Fprintf(&b, "%s is of an invocation with all that it called in its thread: "+
		"the lines overlap\n\n", a.Name())
	c := printable.Table{Name: "function", Columns: []printable.Column{{Title: "calls", Weight: 9},
		{Title: "records", Weight: 3}, {Title: a.Name(), Weight: 8},
		{Title: "95% interval", Weight: 7}, {Title: "deviation", Weight: 5},
		{Title: "most", Weight: 2}, {Title: "CPU time", Weight: 4}, {Title: "clock", Weight: 2},
		{Title: "total", Weight: 6}, {Title: "sampled", Weight: 1}}}
	if !a.Joules() { // the amount is the CPU time already
		c.Columns = slices.Delete(c.Columns, functionTime, functionTime+1)
	}
	more := f.More
	for i := range f.List {
		if top > 0 && i == top {
			more += len(f.List) - i
			break
		}
		f.List[i].row(&c, a)
	}
	if err := c.Write(&b, width); err != nil {
		return err
	}
	if more > 0 && (top > 0 && len(f.List) > top || top == 0) {
		printable.Fprintf(&b, "%s\n", printable.Count(more, "more function"))
	}
	for _, s := range f.Gaps() {
		printable.Fprintf(&b, "%s\n", s)
	}
	f.writeUncalled(&b, top)
	_, err := io.WriteString(w, b.String())
	return err
}

// functionTime is the index of the CPU time among a function's columns.
const functionTime = 6

func (f *Function) row(c *printable.Table, a Amounts) {
	name := f.Name
	if f.Recursive {
		name += " (recursive)"
	}
	add := func(cells ...string) {
		if !a.Joules() {
			cells = slices.Delete(cells, functionTime, functionTime+1)
		}
		c.Row(name, cells...)
	}
	calls, records, none := fmt.Sprint(f.Calls), fmt.Sprint(f.Records), "-"
	switch {
	case f.Records == 0:
		add(calls, "0", none, none, none, none, none, none, none, none)
		return
	case f.Short:
		add(calls, records, a.One(f.MeanNJ), "by samples", none, none, "short", f.Clock(),
			a.One(f.TotalNJ), none)
		return
	}
	interval, differs := none, none
	if f.LowNJ != nil && f.HighNJ != nil {
		interval = a.One(*f.LowNJ) + "-" + a.One(*f.HighNJ)
	}
	if d, known := f.Discrepancy(); known {
		differs = fmt.Sprintf("%+.1f%%", d*100)
	}
	add(calls, records, a.One(f.MeanNJ), interval, a.One(f.DeviationNJ), a.One(f.MostNJ),
		f.CPUTime(), f.Clock(), f.Total(a, none), differs)
}

// Total returns the amount of all invocations. It returns none where a recursive function's amount
// is not known because no sample has it.
func (f *Function) Total(a Amounts, none string) string {
	if f.Recursive && f.TotalNJ == 0 {
		return none
	}
	return a.One(f.TotalNJ)
}

// CPUTime returns the mean CPU time of an invocation with three digits or so.
func (f *Function) CPUTime() string {
	return printable.Duration(time.Duration(f.CPUNS))
}

// Clock returns the machine's mean clock during invocations.
func (f *Function) Clock() string {
	if f.FreqHz <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f GHz", float64(f.FreqHz)/1e9)
}

// Coverage says in a sentence how much was called and profiled.
func (f *Functions) Coverage() string {
	s := fmt.Sprintf("%s of %s in %s; called once: %d; %s, of %s",
		printable.Count(int64(f.Calls), "call"), printable.Count(f.Called, "function"),
		printable.Count(int64(f.Threads), "thread"), f.Once,
		printable.Count(int64(f.Records), "record"), printable.Count(f.Profiled, "function"))
	if f.Instrumented > 0 {
		s += fmt.Sprintf("; never called: %d of %d instrumented", f.Never, f.Instrumented)
	}
	return s
}

// shownUncalled is the number of uncalled functions that a text names.
const shownUncalled = 200

// writeUncalled names functions that were never called, at most top; 0 stands for shownUncalled.
func (f *Functions) writeUncalled(b *strings.Builder, top int) {
	if top == 0 {
		top = shownUncalled
	}
	if len(f.Uncalled) == 0 {
		return
	}
	printable.Fprintf(b, "\nnever called:\n")
	for i := range f.Uncalled[:min(top, len(f.Uncalled))] {
		printable.Fprintf(b, "  %s (%s)\n", f.Uncalled[i].Name, f.Uncalled[i].Module)
	}
	if left := f.Never - min(top, len(f.Uncalled)); left > 0 {
		printable.Fprintf(b, "  and %d more\n", left)
	}
}

// Gaps returns sentences on what was not seen, and on what counting itself took.
func (f *Functions) Gaps() (list []string) {
	say := func(n uint64, thing, what string) {
		if n > 0 {
			list = append(list, printable.Count(n, thing)+what)
		}
	}
	if f.HooksShare > 0 {
		list = append(list, fmt.Sprintf("counting and profiling took %.1f%% of it all, by samples",
			f.HooksShare*100))
	}
	say(f.RefusedThreads, "thread", " not counted: too many at a time")
	say(f.UncountedCalls, "call", " in no line: of too many functions, or of unknown processes")
	say(f.Unbegun, "invocation", " not profiled as planned: the thread lost its CPU just then, or "+
		"too deep a nesting")
	say(f.Abandoned, "profiled invocation", " ended without a return, and without a record")
	say(f.Open, "profiled invocation", " had not ended")
	say(f.Lost, "record", " written over before ebb could read")
	say(f.Unknown, "record", " without energy: the thread ran in no window of the ledger")
	say(f.Surplus, "record", " dropped: of too many functions")
	say(f.WithoutCounters, "thread", " without counters: this machine or its kernel refuses them")
	return list
}
