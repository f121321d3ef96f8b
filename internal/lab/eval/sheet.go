package eval

import (
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// spread is a value over the seeds of a run: its mean, its least and its greatest.
type spread struct{ mean, lo, hi float64 }

// one returns a value that was found once.
func one(v float64) spread { return spread{v, v, v} }

func newSpread(values []float64) spread {
	if len(values) == 0 {
		return one(none)
	}
	return spread{mean(values), slices.Min(values), slices.Max(values)}
}

// column is a series at one place of the figure's axis.
type column struct {
	series string
	x      float64
}

// sheet collects a figure's rows, and draws from them.
type sheet struct {
	figure string
	rows   []Row
	at     map[cellKey]int
	spread []spread
}

type cellKey struct {
	workload string
	column   column
	unit     string
}

func newSheet(figure string) *sheet { return &sheet{figure: figure, at: map[cellKey]int{}} }

// key replaces NaN, which equals nothing, so that the column can be a key.
func (c column) key() column {
	if math.IsNaN(c.x) {
		c.x = math.MaxFloat64
	}
	return c
}

// add appends a row.
func (s *sheet) add(workload, series string, x float64, v spread, unit string, paper float64) {
	s.at[cellKey{workload, column{series, x}.key(), unit}] = len(s.rows)
	s.rows = append(s.rows, Row{s.figure, workload, series, x, v.mean, unit, paper})
	s.spread = append(s.spread, v)
}

// find returns the index of a row, or -1.
func (s *sheet) find(workload string, c column, unit string) int {
	if i, ok := s.at[cellKey{workload, c.key(), unit}]; ok {
		return i
	}
	return -1
}

// value returns the value of a row, or none.
func (s *sheet) value(workload string, c column, unit string) float64 {
	if i := s.find(workload, c, unit); i >= 0 {
		return s.rows[i].Value
	}
	return none
}

// values returns a column's values for the named workloads.
func (s *sheet) values(workloads []string, c column, unit string) (v []float64) {
	for _, w := range workloads {
		v = append(v, s.value(w, c, unit))
	}
	return v
}

// mean adds a row for the mean of the named workloads' values.
func (s *sheet) mean(as string, workloads []string, c column, unit string, paper float64) {
	s.add(as, c.series, c.x, one(mean(s.values(workloads, c, unit))), unit, paper)
}

// means adds the means of all workloads and of both classes.
func (s *sheet) means(c column, unit string, all, memory, compute float64) {
	s.mean(Mean, names(every), c, unit, all)
	s.mean(meanMemory, names(memoryBound), c, unit, memory)
	s.mean(meanCompute, names(computeBound), c, unit, compute)
}

// most adds a row for the greatest of the named workloads' values.
func (s *sheet) most(as string, workloads []string, c column, unit string, paper float64) {
	s.add(as, c.series, c.x, one(slices.Max(s.values(workloads, c, unit))), unit, paper)
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return none
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// bar is one series of a drawing: a column under the name it has in the legend.
type bar struct {
	column
	name   string
	colour int
}

// bars draws columns over the named workloads.
func (s *sheet) bars(title, desc string, y chart.Axis, workloads []string, bars []bar) chart.Bars {
	b := chart.Bars{Title: title, Desc: desc, Y: y, Reference: "paper's text",
		Groups: groupNames(workloads)}
	for _, r := range bars {
		series := chart.Series{Name: r.name, Colour: r.colour}
		for _, w := range workloads {
			v, paper, lo, hi := none, none, none, none
			if i := s.find(w, r.column, y.Unit); i >= 0 {
				v, paper = s.rows[i].Value, s.rows[i].Paper
				if s.spread[i].hi > s.spread[i].lo {
					lo, hi = s.spread[i].lo, s.spread[i].hi
				}
			}
			series.Values, series.Reference = append(series.Values, v), append(series.Reference,
				paper)
			series.Low, series.High = append(series.Low, lo), append(series.High, hi)
		}
		b.Series = append(b.Series, series)
	}
	b.Sections = classes(workloads)
	return b
}

// groupNames returns the names below the drawings of workloads.
func groupNames(workloads []string) (out []string) {
	for _, w := range workloads {
		out = append(out, strings.TrimSuffix(w, "-intensive"))
	}
	return out
}

// classes returns the headings over a figure's workloads.
func classes(workloads []string) (out []chart.Section) {
	for i, w := range workloads {
		switch {
		case i == 0 && w == paperWorkloads[0].name:
			out = append(out, chart.Section{Name: "memory-intensive"})
		case i > 0 && w == computeBoundFirst():
			out = append(out, chart.Section{Name: "compute-intensive", From: i})
		case len(out) > 0 && isMean(w) && !isMean(workloads[i-1]):
			out = append(out, chart.Section{Name: "over workloads", From: i})
		}
	}
	return out
}

func isMean(w string) bool {
	return w == Mean || w == meanMemory || w == meanCompute || w == Max || w == maxMemory
}
