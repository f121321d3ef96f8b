package accuracy

import (
	"fmt"
	"strings"
)

// pairTable holds the errors of one set at each pair: of the bound, the default model and the
// default model with real counters.
type pairTable struct {
	Title   string
	Columns []string
	Rows    []pairRow
	Note    string // how often the intervals held the time measured
}

type pairRow struct {
	Name  string
	Cells []string
}

// pairTables returns a table for each set, with the mean absolute error and the worst in brackets.
func (r *Result) pairTables() (out []pairTable) {
	models := []int{len(r.Models)}
	for _, name := range plotted[:2] {
		if i := r.index(name); i >= 0 {
			models = append(models, i)
		}
	}
	for i := range r.Sets {
		s := &r.Sets[i]
		t := pairTable{Title: s.title() + ", all pairs: mean absolute error in % (worst)"}
		for _, j := range models {
			name, _ := r.label(j, Pair{})
			t.Columns = append(t.Columns, name)
		}
		for p, pair := range r.Pairs {
			row := pairRow{Name: pair.String()}
			for _, j := range models {
				mean, worst := s.Mean(p, j)
				cell := "-"
				if known(mean) {
					cell = fmt.Sprintf("%.2f (%.1f)", mean, worst)
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
		}
		t.Note = r.note(s, models[1:])
		out = append(out, t)
	}
	return out
}

// note says how often the intervals of the models held the time measured; "" where none is known.
func (r *Result) note(s *Set, models []int) string {
	var parts []string
	for _, j := range models {
		if h := s.Held[j]; h.Of > 0 {
			name, _ := r.label(j, Pair{})
			parts = append(parts, fmt.Sprintf("%s %d of %d", name, h.Inside, h.Of))
		}
	}
	if parts == nil {
		return ""
	}
	return "inside the interval: " + strings.Join(parts, "; ")
}

func (t *pairTable) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n%-14s", t.Title, "")
	for _, c := range t.Columns {
		fmt.Fprintf(b, "%22s", c)
	}
	b.WriteByte('\n')
	for _, r := range t.Rows {
		fmt.Fprintf(b, "%-14s", r.Name)
		for _, c := range r.Cells {
			fmt.Fprintf(b, "%22s", c)
		}
		b.WriteByte('\n')
	}
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n", t.Note)
	}
	b.WriteByte('\n')
}
