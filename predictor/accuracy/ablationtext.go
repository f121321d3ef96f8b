package accuracy

import (
	"fmt"
	"io"
	"strings"
)

// ablationTable is the table of one rule's worth, for the terminal and the page.
type ablationTable struct {
	Title   string
	Columns []string
	Rows    []ablationRow
}

type ablationRow struct {
	Name  string
	Cells []string
}

func ablationTables(as []Ablation) (out []ablationTable) {
	for i, a := range as {
		if i == 0 || as[i-1].Rule.Name != a.Rule.Name {
			t := ablationTable{Title: fmt.Sprintf("%s; others: all but %s", a.Rule.Name,
				strings.Join(a.Rule.Motivated, ", "))}
			for _, p := range a.Pairs {
				t.Columns = append(t.Columns, p.short())
			}
			out = append(out, t)
		}
		t := &out[len(out)-1]
		add := func(what string, w *Worth) {
			if w.Programs == 0 {
				return
			}
			name := fmt.Sprintf("%s, %s, %s (%d)", a.Estimator, (&Set{Name: a.Set}).title(), what,
				w.Programs)
			with, without := ablationRow{Name: name}, ablationRow{Name: "  without the rule"}
			for j := range a.Pairs {
				with.Cells = append(with.Cells, number(w.With[j], "%.2f"))
				without.Cells = append(without.Cells, number(w.Without[j], "%.2f"))
			}
			t.Rows = append(t.Rows, with, without)
		}
		add("others", &a.Others)
		add("all", &a.All)
	}
	return out
}

// AblationText writes the rules' worth as tables for a terminal.
func AblationText(w io.Writer, as []Ablation) error {
	var b strings.Builder
	for _, t := range ablationTables(as) {
		fmt.Fprintf(&b, "rule: %s; mean absolute error in %%\n%-32s", t.Title, "")
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "%8s", c)
		}
		b.WriteByte('\n')
		for _, r := range t.Rows {
			fmt.Fprintf(&b, "%-32s", r.Name)
			for _, c := range r.Cells {
				fmt.Fprintf(&b, "%8s", c)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
