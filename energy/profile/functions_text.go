package profile

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

// WriteText prints the first functions, at most top; 0 for all.
func (f *Functions) WriteText(w io.Writer, top int) error {
	var b strings.Builder
	printable.Fprintf(&b, "%s\n", f.Coverage())
	printable.Fprintf(&b, "energy is of an invocation with all that it called in its thread: "+
		"the lines overlap\n\n")
	printable.Fprintf(&b, "%12s %9s %10s %21s %10s %10s %10s %10s %8s  %s\n", "calls", "records",
		"energy", "95% interval", "deviation", "most", "CPU time", "total", "sampled", "function")
	for i := range f.List {
		if top > 0 && i == top {
			printable.Fprintf(&b, "%d more functions\n", len(f.List)+f.More-i)
			break
		}
		f.List[i].write(&b)
	}
	if top == 0 && f.More > 0 {
		printable.Fprintf(&b, "%d more functions\n", f.More)
	}
	for _, s := range f.Gaps() {
		printable.Fprintf(&b, "%s\n", s)
	}
	f.writeUncalled(&b, top)
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Function) write(b *strings.Builder) {
	name := f.Name
	if f.Recursive {
		name += " (recursive)"
	}
	if f.Records == 0 {
		printable.Fprintf(b, "%12d %9d %10s %21s %10s %10s %10s %10s %8s  %s\n", f.Calls, 0,
			"-", "-", "-", "-", "-", "-", "-", name)
		return
	}
	if f.Short {
		printable.Fprintf(b, "%12d %9d %10s %21s %10s %10s %10s %10s %8s  %s\n", f.Calls, f.Records,
			units.Energy(f.MeanNJ), "by samples", "-", "-", "short", units.Energy(f.TotalNJ), "-",
			name)
		return
	}
	interval := "-"
	if f.LowNJ != nil && f.HighNJ != nil {
		interval = fmt.Sprintf("%v-%v", units.Energy(*f.LowNJ), units.Energy(*f.HighNJ))
	}
	differs := "-"
	if d, known := f.Discrepancy(); known {
		differs = fmt.Sprintf("%+.1f%%", d*100)
	}
	printable.Fprintf(b, "%12d %9d %10s %21s %10s %10s %10s %10s %8s  %s\n", f.Calls, f.Records,
		units.Energy(f.MeanNJ), interval, units.Energy(f.DeviationNJ), units.Energy(f.MostNJ),
		f.CPUTime(), units.Energy(f.TotalNJ), differs, name)
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

// Coverage says in a sentence how much was called and profiled.
func (f *Functions) Coverage() string {
	s := fmt.Sprintf("%d calls of %d functions in %d threads; %d functions were called once; "+
		"%d have a record, %d records in all", f.Calls, f.Called, f.Threads, f.Once, f.Profiled,
		f.Records)
	if f.Instrumented > 0 {
		s += fmt.Sprintf("; of %d instrumented functions %d were never called", f.Instrumented,
			f.Never)
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
	say := func(n uint64, format string) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, n))
		}
	}
	say(f.RefusedThreads, "%d threads were not counted: too many at a time")
	say(f.UncountedCalls, "%d calls are in no line: of too many functions, or of unknown processes")
	say(f.Unbegun, "%d invocations were not profiled as planned: their thread lost its CPU just "+
		"then, or they are nested too deep")
	say(f.Abandoned, "%d profiled invocations ended without a return, and have no record")
	say(f.Open, "%d profiled invocations had not ended")
	say(f.Lost, "%d records were written over before ebb read them")
	say(f.Unknown, "%d records have no energy: their thread ran in no window of the ledger")
	say(f.Surplus, "%d records were dropped: of too many functions")
	say(f.WithoutCounters, "%d threads had no counters: this machine or its kernel refuses them")
	return list
}
