package profile

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/columns"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

// WriteText prints the first functions, at most top, on a page of a width; 0 for all.
func (f *Functions) WriteText(w io.Writer, top, width int) error {
	var b strings.Builder
	printable.Fprintf(&b, "%s\n", f.Coverage())
	printable.Fprintf(&b, "energy is of an invocation with all that it called in its thread: "+
		"the lines overlap\n\n")
	c := columns.Table{Name: "function", Columns: []columns.Column{{Title: "calls", Weight: 9},
		{Title: "records", Weight: 3}, {Title: "energy", Weight: 8},
		{Title: "95% interval", Weight: 7}, {Title: "deviation", Weight: 5},
		{Title: "most", Weight: 2}, {Title: "CPU time", Weight: 4}, {Title: "clock", Weight: 2},
		{Title: "total", Weight: 6}, {Title: "sampled", Weight: 1}}}
	more := f.More
	for i := range f.List {
		if top > 0 && i == top {
			more += len(f.List) - i
			break
		}
		f.List[i].row(&c)
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

func (f *Function) row(c *columns.Table) {
	name := f.Name
	if f.Recursive {
		name += " (recursive)"
	}
	calls, records, none := fmt.Sprint(f.Calls), fmt.Sprint(f.Records), "-"
	switch {
	case f.Records == 0:
		c.Row(name, calls, "0", none, none, none, none, none, none, none, none)
		return
	case f.Short:
		c.Row(name, calls, records, units.Energy(f.MeanNJ).String(), "by samples", none, none,
			"short", f.Clock(), units.Energy(f.TotalNJ).String(), none)
		return
	}
	interval, differs := none, none
	if f.LowNJ != nil && f.HighNJ != nil {
		interval = fmt.Sprintf("%v-%v", units.Energy(*f.LowNJ), units.Energy(*f.HighNJ))
	}
	if d, known := f.Discrepancy(); known {
		differs = fmt.Sprintf("%+.1f%%", d*100)
	}
	c.Row(name, calls, records, units.Energy(f.MeanNJ).String(), interval,
		units.Energy(f.DeviationNJ).String(), units.Energy(f.MostNJ).String(), f.CPUTime(),
		f.Clock(), units.Energy(f.TotalNJ).String(), differs)
}

// CPUTime is the mean CPU time of an invocation with three digits or so.
func (f *Function) CPUTime() string {
	d := time.Duration(f.CPUNS)
	unit := time.Nanosecond
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// Clock is the machine's mean clock during invocations.
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

// shownUncalled is the number of functions that were never called and that a text names.
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

// Gaps are sentences on what was not seen.
func (f *Functions) Gaps() (list []string) {
	say := func(n uint64, thing, what string) {
		if n > 0 {
			list = append(list, printable.Count(n, thing)+what)
		}
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
