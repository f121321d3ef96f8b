package accuracy

import (
	"fmt"
	"html/template"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// paperPairs is the number of pairs that the paper has too. They are the first ones.
const paperPairs = 2

// own is the number of models that are ebb's. They are the first ones.
const own = 3

// particular describes what is special about the sets that have a name.
var particular = map[string]string{
	".":     "with ordinary stores",
	"tso":   "with strict store order and strong store bursts",
	"later": "added later, because their errors led to new rules",
}

// what returns a description of the set.
func (s *Set) what() string {
	text := fmt.Sprintf("%d programs", len(s.Workloads))
	if len(s.Workloads) == 1 {
		text = "One program"
	}
	if p := particular[s.Name]; p != "" {
		text += " " + p
	}
	return text + "."
}

// pageSet is a set on the page: its means at every pair, and a section for each pair.
type pageSet struct {
	ID, Title, What string
	Nav             []chart.Link
	Pairs           pairTable
	Sections        []section
}

// section is a set at one pair.
type section struct {
	ID, Title string
	Plot      template.HTML
	Workloads []string
	Rows      []sectionRow
	Limits    []limitRow
}

type sectionRow struct {
	Name, Paper, Mean, Worst, What string
	Errors                         []cell
	Own, Bound                     bool
}

type limitRow struct{ Name, Error, Why string }

func (r *Result) pageSet(i int) pageSet {
	s := &r.Sets[i]
	out := pageSet{ID: fmt.Sprintf("s%d", i+1), Title: s.title(), What: s.what(),
		Pairs: r.pairTables()[i].full()}
	for p, pair := range r.Pairs {
		x := r.section(s, p)
		x.ID = fmt.Sprintf("%s-%d", out.ID, p+1)
		out.Sections = append(out.Sections, x)
		out.Nav = append(out.Nav, chart.Link{ID: x.ID, Text: pair.short()})
	}
	return out
}

func (r *Result) section(s *Set, p int) section {
	pair := r.Pairs[p]
	out := section{Title: s.title() + ", " + pair.String(), Workloads: s.Workloads,
		Plot: r.plot(s, p)}
	for j := range len(r.Models) + 1 {
		name, paper := r.label(j, pair)
		mean, worst := s.Mean(p, j)
		if !known(mean) {
			continue // the set's tables lack its counters
		}
		x := sectionRow{Name: name, Paper: paper, Mean: number(mean, "%.1f"),
			Worst: number(worst, "%.1f"), Own: j < own, Bound: j == len(r.Models)}
		if !x.Bound {
			x.What = r.Models[j].What
		}
		for _, e := range s.Errors[p][j] {
			x.Errors = append(x.Errors, newCell(e))
		}
		out.Rows = append(out.Rows, x)
	}
	if p < paperPairs {
		for k, l := range s.Limits[p] {
			out.Limits = append(out.Limits,
				limitRow{s.Workloads[k], number(l.Error, "%+.1f"), l.String()})
		}
	}
	return out
}

// full returns the table without its empty columns.
func (t pairTable) full() pairTable {
	out := pairTable{Title: t.Title, Note: t.Note, Rows: make([]pairRow, len(t.Rows))}
	for i := range t.Rows {
		out.Rows[i].Name = t.Rows[i].Name
	}
	for c, name := range t.Columns {
		empty := true
		for i := range t.Rows {
			empty = empty && t.Rows[i].Cells[c] == "-"
		}
		if empty {
			continue
		}
		out.Columns = append(out.Columns, name)
		for i := range t.Rows {
			out.Rows[i].Cells = append(out.Rows[i].Cells, t.Rows[i].Cells[c])
		}
	}
	return out
}
