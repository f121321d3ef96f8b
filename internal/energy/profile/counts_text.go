package profile

import (
	"fmt"
	"io"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// WriteCounts prints the counted functions with what counting did, on a page of a width.
func (p *Profile) WriteCounts(w io.Writer, width int) error {
	t := printable.Lines{W: w}
	if t.Err = p.Counts.writeText(w, p.Amounts(), width); t.Err == nil {
		for _, note := range p.Counts.Notes(p.Busy()) {
			t.Line("")
			t.Line("%s", note)
		}
	}
	return t.Err
}

// writeText prints the counted functions.
func (c *Counts) writeText(w io.Writer, a Amounts, width int) error {
	if _, err := printable.Fprintf(w, "calls are exact; %s is of an invocation, by samples: "+
		"with all that it called in its thread, and its own\n\n", a.Name()); err != nil {
		return err
	}
	t := printable.Table{Name: "counted function", Columns: []printable.Column{
		{Title: "calls", Weight: 9}, {Title: a.Name(), Weight: 8},
		{Title: "95% interval", Weight: 7}, {Title: "own", Weight: 6},
		{Title: "95% interval", Weight: 5}, {Title: "samples", Weight: 4},
		{Title: "file", Weight: 3}}}
	for i := range c.List {
		x := &c.List[i]
		t.Row(x.Name, fmt.Sprint(x.Calls), x.With.Mean(a), x.With.Interval(a),
			x.Self.Mean(a), x.Self.Interval(a), fmt.Sprint(x.Samples), x.File)
	}
	return t.Write(w, width)
}

// Mean returns the mean amount for people; a dash where it is not known.
func (p *PerCall) Mean(a Amounts) string {
	if p == nil {
		return "-"
	}
	return a.ofCall(p.MeanNJ)
}

// Interval returns the interval for people; a dash where it is not known.
func (p *PerCall) Interval(a Amounts) string {
	if p == nil {
		return "-"
	}
	return a.ofCall(p.LowNJ) + "-" + a.ofCall(p.HighNJ)
}

// perCall writes the energy of an invocation, which can be less than 1 nJ.
func perCall(nj float64) string {
	if nj > 0 && nj < 10 {
		return fmt.Sprintf("%.2g nJ", nj)
	}
	return units.Energy(min(nj, 1<<62)).String()
}

// shownCost is the least share of the program's CPU time at which the cost of counting is printed.
const shownCost = 0.01

// Notes returns what counting did to the program and to others. Busy is the program's CPU time, in
// ns.
func (c *Counts) Notes(busy int64) (notes []string) {
	if s := share(c.CostNS, busy); s >= shownCost {
		call, stepped := c.costs()
		how := "as measured when the run began"
		if c.CallNS == 0 {
			how = "as measured on another machine"
		}
		each := fmt.Sprintf("calls x %d ns", call)
		if slices.ContainsFunc(c.List, func(x CountedCalls) bool { return x.Stepped }) {
			each += fmt.Sprintf(", %d ns where the kernel steps the thread", stepped)
		}
		if c.CostSamples > 0 {
			each = fmt.Sprintf("%d ns a call", c.CostNS/max(int64(c.calls()), 1))
			how = fmt.Sprintf("by %d samples in the kernel's breakpoints", c.CostSamples)
		}
		notes = append(notes, fmt.Sprintf("counting took some %s of the program's CPU time (%s, "+
			"%s): the figures here have it, most of it those of short functions",
			printable.ShortPercent(min(s, 1)), each, how))
	}
	for i := range c.List {
		x := &c.List[i]
		if says := c.Stepping(x); says != "" {
			notes = append(notes, says)
		}
		if x.OtherCalls > 0 {
			notes = append(notes, fmt.Sprintf("%s in %s: other programs called it %d times "+
				"meanwhile, and were stopped as often", x.Name, x.File, x.OtherCalls))
		}
		if x.Places > 1 {
			notes = append(notes, fmt.Sprintf("%s in %s: calls of all %d functions of this name",
				x.Name, x.File, x.Places))
		}
		if x.Calls == 0 {
			notes = append(notes, fmt.Sprintf("%s in %s: no call; a compiler may have put its "+
				"code into its callers", x.Name, x.File))
		}
	}
	return notes
}

// Busy returns the CPU time of all threads, in ns.
func (p *Profile) Busy() (ns int64) {
	for i := range p.Threads {
		ns += p.Threads[i].RunNS
	}
	return ns
}
