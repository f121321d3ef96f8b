package accuracy

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/page"
)

// HTML writes the result as a page that needs nothing else.
func (r *Result) HTML(w io.Writer) error {
	type row struct {
		Name, Paper, Mean, Worst, What string
		Errors                         []cell
		Bound                          bool
	}
	type limitRow struct{ Name, Error, Why string }
	type section struct {
		ID, Title string
		Plot      template.HTML
		Workloads []string
		Rows      []row
		Limits    []limitRow
	}
	var sections []section
	nav := []page.Link{{ID: "means", Text: "means"}}
	for i := range r.Sets {
		s := &r.Sets[i]
		for p, pair := range r.Pairs {
			id := fmt.Sprintf("s%d-%d", i+1, p+1)
			sec := section{ID: id, Title: s.title() + ", " + pair.String(),
				Workloads: s.Workloads, Plot: r.plot(s, p)}
			nav = append(nav, page.Link{ID: id, Text: s.title() + " " + pair.short()})
			for j := range len(r.Models) + 1 {
				name, paper := r.label(j, pair)
				mean, worst := s.Mean(p, j)
				x := row{Name: name, Paper: paper, Mean: number(mean, "%.1f"),
					Worst: number(worst, "%.1f"), Bound: j == len(r.Models)}
				if !x.Bound {
					x.What = r.Models[j].What
				}
				for _, e := range s.Errors[p][j] {
					x.Errors = append(x.Errors, newCell(e))
				}
				sec.Rows = append(sec.Rows, x)
			}
			if p < 2 {
				for k, l := range s.Limits[p] {
					sec.Limits = append(sec.Limits,
						limitRow{s.Workloads[k], number(l.Error, "%+.1f"), l.String()})
				}
			}
			sections = append(sections, sec)
		}
	}
	if len(r.Ablations) > 0 {
		nav = append(nav, page.Link{ID: "rules", Text: "rules"})
	}
	if len(r.Holdouts) > 0 {
		nav = append(nav, page.Link{ID: "constants", Text: "constants"})
	}
	shell := page.Page{
		Title: "ebb: accuracy of the predictions", Heading: "Accuracy of the predictions",
		Nav: nav, Content: content, Data: map[string]any{"Sections": sections, "Models": r.Models,
			"Summary": r.summary(), "PairTables": r.pairTables(),
			"Ablations": ablationTables(r.Ablations), "Holdouts": holdoutTables(r.Holdouts)},
	}
	return shell.Write(w)
}

// summary is the table of means: a row per model, a column per set and pair.
type summary struct {
	Columns []string
	Rows    []summaryRow
}

type summaryRow struct {
	Name  string
	Cells []cell
	Bound bool
}

func (r *Result) summary() (out summary) {
	out.Columns = []string{"paper 1→4", "paper 4→1"}
	for i := range r.Sets {
		for _, p := range r.Pairs {
			out.Columns = append(out.Columns, r.Sets[i].title()+" "+p.short())
		}
	}
	for j := range len(r.Models) + 1 {
		name, up := r.label(j, Pairs()[0])
		_, down := r.label(j, Pairs()[1])
		row := summaryRow{Name: name, Bound: j == len(r.Models),
			Cells: []cell{{Text: up}, {Text: down}}}
		for i := range r.Sets {
			for p := range r.Pairs {
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

// cell is a figure and how dark it stands.
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
