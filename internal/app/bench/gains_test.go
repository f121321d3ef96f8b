package bench

import (
	"math"
	"strings"
	"testing"
)

// TestGains: the page draws every comparison whose energy is known, as the sentences have it.
func TestGains(t *testing.T) {
	for name, r := range results() {
		g, ok := r.gains()
		known := 0
		for i := range r.Against {
			v := &r.Against[i]
			if !v.Change.Known() {
				continue
			}
			if g.Groups[known] != v.Of+" against "+v.With ||
				g.Series[0].Values[known] != 100*v.Change.Estimate ||
				g.Series[1].Values[known] != 100*v.Time.Estimate ||
				v.Change.bounded() == math.IsNaN(g.Series[0].Low[known]) {
				t.Errorf("%s: %s against %s: %+v", name, v.Of, v.With, g)
			}
			known++
		}
		if ok != (known > 0) || known != len(g.Groups) {
			t.Errorf("%s: %d of %d comparisons drawn", name, len(g.Groups), known)
		}
	}
}

// TestPageTable: intervals stand below their figures, and a column that is the same everywhere is a
// sentence.
func TestPageTable(t *testing.T) {
	for name, r := range results() {
		head, rows, source := r.pageTable()
		if len(rows) != len(r.Rows) {
			t.Errorf("%s: %d rows of %d", name, len(rows), len(r.Rows))
		}
		same := len(r.Rows) > 0
		for i := range r.Rows {
			same = same && r.Rows[i].Source == r.Rows[0].Source
		}
		if same != (source != "") || (r.Rounds > 0 &&
			same == (head[len(head)-1] == "energy is")) {
			t.Errorf("%s: energy is %q; columns %q", name, source, head)
		}
		for i, row := range rows {
			if row.Cells[0].Text != r.Rows[i].Name || len(row.Cells) != len(head) {
				t.Errorf("%s: row %+v", name, row)
			}
			for _, c := range row.Cells[1:] {
				if strings.Contains(c.Text, "(") || strings.ContainsAny(c.Interval, "()") {
					t.Errorf("%s: cell %+v", name, c)
				}
			}
			if s := r.Rows[i].Slowdown; i > 0 && s.bounded() && row.Cells[2].Interval == "" {
				t.Errorf("%s: %s has no interval", name, r.Rows[i].Name)
			}
		}
	}
}
