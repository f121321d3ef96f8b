package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// writeFunctions prints the first functions, at most top, on a page of a width; 0 for all.
func writeFunctions(
	w io.Writer, f *profile.Functions, a profile.Amounts, top, width int,
) error {
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
		addFunction(&c, &f.List[i], a)
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
	writeUncalled(&b, f, top)
	_, err := io.WriteString(w, b.String())
	return err
}

// functionTime is the index of the CPU time among a function's columns.
const functionTime = 6

func addFunction(c *printable.Table, f *profile.Function, a profile.Amounts) {
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

// shownUncalled is the number of uncalled functions that a text names.
const shownUncalled = 200

// writeUncalled names functions that were never called, at most top; 0 stands for shownUncalled.
func writeUncalled(b *strings.Builder, f *profile.Functions, top int) {
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
