package accuracy

import (
	"fmt"
	"io"
	"strings"
)

// HoldoutText writes holdouts as tables for a terminal.
func HoldoutText(w io.Writer, hs []Holdout) error {
	var b strings.Builder
	for i := range hs {
		h := &hs[i]
		fmt.Fprintf(
			&b, "constants chosen anew, estimator %s: mean absolute error in %% (worst)\n%-32s",
			h.Estimator, "",
		)
		for _, c := range h.columns() {
			fmt.Fprintf(&b, "%16s", c)
		}
		b.WriteByte('\n')
		row := func(indent string, way *Held) {
			fmt.Fprintf(&b, "%-32s", indent+way.Way)
			for _, c := range h.cells(way) {
				fmt.Fprintf(&b, "%16s", c)
			}
			b.WriteByte('\n')
		}
		for i := range h.Ways {
			row("", &h.Ways[i])
		}
		for _, c := range h.Constants {
			fmt.Fprintf(&b, "%s\n", c.String())
			for i := range c.Ways {
				row("  ", &c.Ways[i])
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// holdoutTable is a holdout for the page.
type holdoutTable struct {
	Title   string
	Columns []string
	Rows    []holdoutRow
}

type holdoutRow struct {
	Name  string
	Cells []string
	Head  bool // head of the rows below; it spans the table
	Span  int
}

func holdoutTables(hs []Holdout) (out []holdoutTable) {
	for i := range hs {
		h := &hs[i]
		t := holdoutTable{Title: "Estimator " + h.Estimator + ": mean absolute error in % (worst)",
			Columns: h.columns()}
		add := func(w *Held) { t.Rows = append(t.Rows, holdoutRow{Name: w.Way, Cells: h.cells(w)}) }
		for j := range h.Ways {
			add(&h.Ways[j])
		}
		for j := range h.Constants {
			c := &h.Constants[j]
			t.Rows = append(t.Rows, holdoutRow{Name: c.String(), Head: true,
				Span: len(t.Columns) + 1})
			for k := range c.Ways {
				add(&c.Ways[k])
			}
		}
		out = append(out, t)
	}
	return out
}

// columns returns the sets and pairs for which there are errors.
func (h *Holdout) columns() (out []string) {
	for s, set := range h.Sets {
		for p, pair := range h.Pairs {
			if h.measured(s, p) {
				out = append(out, (&Set{Name: set}).title()+" "+pair.short())
			}
		}
	}
	return out
}

func (h *Holdout) cells(way *Held) (out []string) {
	for s := range h.Sets {
		for p := range h.Pairs {
			if h.measured(s, p) {
				out = append(out, fmt.Sprintf("%.2f (%.1f)", way.Mean[s][p], way.Worst[s][p]))
			}
		}
	}
	return out
}

// measured reports whether there is an error for a set and pair: not every table has the real
// counters' columns.
func (h *Holdout) measured(set, pair int) bool {
	m := h.Ways[0].Mean[set][pair]
	return m == m
}

func (c *Chosen) String() string {
	s := fmt.Sprintf("%s alone: shipped %s, chosen from all %s, with one program left out", c.Name,
		value(c.Shipped), value(c.All))
	for i, v := range c.LeftOut {
		s += fmt.Sprintf(" %s (%d times)", value(v), c.Times[i])
	}
	return s
}

func value(v float64) string {
	if v >= 1e9 {
		return "none"
	}
	return fmt.Sprintf("%.3g", v)
}
