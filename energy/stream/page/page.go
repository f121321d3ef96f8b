// Package page writes the state of a run's stream as a page.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/ebb-energy/ebb/energy/stream"
	"github.com/ebb-energy/ebb/internal/chart"
	"github.com/ebb-energy/ebb/internal/page"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed live.tmpl
var contentText string

var content = page.Content("live", contentText)

// Write writes the page. While the run goes on, browsers load it again once in an interval: it
// needs no server and no script.
func Write(w io.Writer, h *stream.History) error {
	l := h.Last
	p := page.Page{Heading: printable.Name(l.Command) + ": where the energy goes",
		Content: content, Data: live{Head: printable.Name(l.Head()),
			Parts: printable.Name(l.Parts()), Charts: charts(h), Tables: tables(l),
			Samples: l.Samples, Ended: l.Ended}}
	if !l.Ended {
		p.Refresh = int(max(time.Duration(l.EveryNS)/time.Second, 1))
	}
	return p.Write(w)
}

// live has the values that the template shows.
type live struct {
	Head, Parts string
	Charts      []template.HTML
	Tables      []table
	Samples     int
	Ended       bool
}

type table struct {
	Title string
	Head  []string
	Rows  [][]string
	More  int
}

// mostRows bounds the rows of a table on the page, mostBars the bars of a drawing.
const mostRows, mostBars = 30, 10

func charts(h *stream.History) (out []template.HTML) {
	if len(h.Points) > 0 {
		var x, y []float64
		for i, p := range h.Points {
			x, y = append(x, p.AtNS/1e9), append(y, p.Watts)
			if i == len(h.Points)-1 {
				x, y = append(x, (p.AtNS+p.DurNS)/1e9), append(y, p.Watts)
			}
		}
		out = append(out, page.Figure(chart.Lines{Title: "Power of the machine over time",
			X: chart.Axis{Label: "time", Unit: "s"},
			Y: chart.Axis{Label: "power", Unit: "W", Zero: true}, Height: 200,
			Lines: []chart.Line{{Name: "power", X: x, Y: y, Step: true}}}))
	}
	b := chart.Bars{Title: "Energy by method, with its 95 % interval",
		Y: chart.Axis{Label: "energy", Unit: "J", Zero: true}, Height: 260,
		Series: []chart.Series{{Name: "energy"}}}
	s, l := &b.Series[0], h.Last
	all := float64(l.SampledNJ) / 1e9
	for _, m := range l.Methods[:min(len(l.Methods), mostBars)] {
		b.Groups = append(b.Groups, printable.Cut(m.Unit, 24))
		s.Values = append(s.Values, float64(m.EnergyNJ)/1e9)
		s.Low, s.High = append(s.Low, m.Low*all), append(s.High, m.High*all)
	}
	if len(b.Groups) == 0 {
		b.Title = "Energy by thread"
		for _, t := range l.Threads[:min(len(l.Threads), mostBars)] {
			b.Groups = append(b.Groups, printable.Cut(fmt.Sprintf("%s (%d)", t.Name, t.TID), 24))
			s.Values = append(s.Values, float64(t.EnergyNJ)/1e9)
		}
	}
	if len(b.Groups) > 0 {
		out = append(out, page.Figure(b))
	}
	return out
}

func tables(l *stream.Line) []table {
	joules := func(nj int64) string { return units.Energy(nj).String() }
	cpu := func(ns int64) string { return fmt.Sprintf("%.2f s", float64(ns)/1e9) }
	head := []string{"energy", "now", "CPU time"}
	m := table{Title: "method", Head: []string{"energy", "share", "95 % interval", "CPU time",
		"samples"}, More: l.MoreMethods + max(len(l.Methods)-mostRows, 0)}
	for _, x := range l.Methods[:min(len(l.Methods), mostRows)] {
		m.Rows = append(m.Rows, []string{printable.Name(x.Unit), joules(x.EnergyNJ),
			fmt.Sprintf("%.1f %%", 100*x.Share),
			fmt.Sprintf("%.1f to %.1f %%", 100*x.Low, 100*x.High), cpu(x.CPUNS),
			fmt.Sprint(x.Samples)})
	}
	t := table{Title: "thread", Head: head,
		More: l.MoreThreads + max(len(l.Threads)-mostRows, 0)}
	for _, x := range l.Threads[:min(len(l.Threads), mostRows)] {
		name, now := fmt.Sprintf("%s (%d)", x.Name, x.TID), fmt.Sprintf("%.2f W", x.Watts)
		if x.Ended {
			name, now = name+" ended", ""
		}
		t.Rows = append(t.Rows, []string{printable.Name(name), joules(x.EnergyNJ), now,
			cpu(x.CPUNS)})
	}
	p := table{Title: "process", Head: append(head, "threads", "ended"),
		More: l.MoreProcesses + max(len(l.Processes)-mostRows, 0)}
	for _, x := range l.Processes[:min(len(l.Processes), mostRows)] {
		p.Rows = append(p.Rows, []string{printable.Name(fmt.Sprintf("%s (%d)", x.Name, x.PID)),
			joules(x.EnergyNJ), fmt.Sprintf("%.2f W", x.Watts), cpu(x.CPUNS),
			fmt.Sprint(x.Threads), fmt.Sprint(x.Ended)})
	}
	out := []table{t, p}
	if len(m.Rows) > 0 {
		out = append([]table{m}, out...)
	}
	return out
}
