package accuracy

import (
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// HTML writes the result as a page that needs nothing else.
func (r *Result) HTML(w io.Writer) error {
	nav := []chart.Link{{ID: "means", Text: "means"}, {ID: "terms", Text: "terms"}}
	var sets []pageSet
	for i := range r.Sets {
		s := r.pageSet(i)
		sets, nav = append(sets, s), append(nav, chart.Link{ID: s.ID, Text: s.Title})
	}
	if len(r.Ablations) > 0 {
		nav = append(nav, chart.Link{ID: "rules", Text: "rules"})
	}
	if len(r.Holdouts) > 0 {
		nav = append(nav, chart.Link{ID: "constants", Text: "constants"})
	}
	shell := chart.Page{
		Title: "ebb: accuracy of the predictions", Heading: "Accuracy of the predictions",
		Nav: nav, Content: content, Data: map[string]any{"Sets": sets, "Models": r.Models,
			"Findings": r.findings(), "Lead": r.lead(), "Range": plotRange,
			"Summary": r.summary(), "Ablations": ablationTables(r.Ablations),
			"Holdouts": holdoutTables(r.Holdouts)},
	}
	return shell.Write(w)
}

// summary is the table of means: a row per model, a column per set and each of the paper's pairs.
type summary struct {
	Columns []string
	Rows    []summaryRow
}

type summaryRow struct {
	Name       string
	Cells      []cell
	Own, Bound bool
}

func (r *Result) summary() (out summary) {
	out.Columns = []string{"paper 1→4", "paper 4→1"}
	for i := range r.Sets {
		for _, p := range r.Pairs[:min(paperPairs, len(r.Pairs))] {
			out.Columns = append(out.Columns, r.Sets[i].title()+" "+p.short())
		}
	}
	for j := range len(r.Models) + 1 {
		name, up := r.label(j, Pairs()[0])
		_, down := r.label(j, Pairs()[1])
		row := summaryRow{Name: name, Own: j < own, Bound: j == len(r.Models),
			Cells: []cell{{Text: up}, {Text: down}}}
		for i := range r.Sets {
			for p := range r.Pairs[:min(paperPairs, len(r.Pairs))] {
				mean, _ := r.Sets[i].Mean(p, j)
				c := newCell(mean)
				c.Text = number(mean, "%.1f")
				row.Cells = append(row.Cells, c)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// cell is a figure and the darkness of its background.
type cell struct {
	Text string
	Heat int // 0 to 3
}

func newCell(e float64) cell {
	c := cell{Text: number(e, "%+.1f")}
	switch a := math.Abs(e); {
	case a >= 30:
		c.Heat = 3
	case a >= 12:
		c.Heat = 2
	case a >= 5:
		c.Heat = 1
	}
	return c
}
