package export

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed live.tmpl
var streamText string

var streamContent = chart.Content("live", streamText)

// WriteStream writes the page. While the run goes on, browsers load it again once in an interval:
// it needs no server and no script.
func WriteStream(w io.Writer, h *stream.History) error {
	l := h.Last
	p := chart.Page{Heading: printable.Name(l.Command) + ": where the " + amount(l) + " goes",
		Content: streamContent, Data: live{Head: printable.Name(l.Head()),
			Parts: printable.Name(l.Parts()), Virtual: l.Virtual(), Charts: charts(h),
			Tables:  tables(l),
			Samples: l.Samples, Ended: l.Ended, Joules: l.Joules()}}
	if !l.Ended {
		p.Refresh = int(max(time.Duration(l.EveryNS)/time.Second, 1))
	}
	return p.Write(w)
}

// live has the values that the template shows.
type live struct {
	Head, Parts string
	Virtual     string // on virtual threads of Java
	Charts      []template.HTML
	Tables      []table
	Samples     int
	Ended       bool
	Joules      bool
}

type table struct {
	Title string
	Head  []string
	Rows  [][]string
	More  int
}

// mostRows bounds the rows of a table on the page. mostBars bounds the bars of a drawing, and
// mostParts the parts of the bar of shares that have a name.
const mostRows, mostBars, mostParts = 30, 10, 6

// amount returns what a line's amounts are called.
func amount(l *stream.Line) string {
	if l.Joules() {
		return "energy"
	}
	return "CPU time"
}

// power draws what the machine draws, or without joules how many CPUs the program keeps busy.
func power(x, y []float64, joules bool) chart.Lines {
	c := chart.Lines{Title: "Power of the machine over time",
		X: chart.Axis{Label: "time", Unit: "s"},
		Y: chart.Axis{Label: "power", Unit: "W", Zero: true}, Height: 200,
		Lines: []chart.Line{{Name: "power", X: x, Y: y, Step: true}}}
	if !joules {
		c.Title, c.Lines[0].Name = "Busy CPUs over time", "CPUs"
		c.Y.Label, c.Y.Unit = "of the program", "CPUs"
	}
	return c
}

func charts(h *stream.History) (out []template.HTML) {
	if len(h.Points) > 0 {
		var x, y []float64
		for i, p := range h.Points {
			x, y = append(x, p.AtNS/1e9), append(y, p.Watts)
			if i == len(h.Points)-1 {
				x, y = append(x, (p.AtNS+p.DurNS)/1e9), append(y, p.Watts)
			}
		}
		out = append(out, chart.FigureHTML(power(x, y, h.Last.Joules())))
	}
	if s := shares(h.Last); len(s.Parts) > 0 {
		out = append(out, chart.FigureHTML(s))
	}
	b := chart.Bars{Title: "Energy by method, with its 95 % interval",
		Y: chart.Axis{Label: "energy", Unit: "J", Zero: true}, Height: 260,
		Series: []chart.Series{{Name: "energy"}}}
	s, l := &b.Series[0], h.Last
	if !l.Joules() {
		b.Title, b.Series[0].Name = "CPU time by method, with its 95 % interval", "CPU time"
		b.Y.Label, b.Y.Unit = "CPU time", "s"
	}
	all := float64(l.SampledNJ) / 1e9
	for _, m := range l.Methods[:min(len(l.Methods), mostBars)] {
		b.Groups = append(b.Groups, label(m.Unit))
		s.Values = append(s.Values, float64(m.EnergyNJ)/1e9)
		s.Low, s.High = append(s.Low, m.Low*all), append(s.High, m.High*all)
	}
	if len(b.Groups) == 0 {
		b.Title = strings.Replace(b.Title, " by method, with its 95 % interval", " by thread", 1)
		for _, t := range l.Threads[:min(len(l.Threads), mostBars)] {
			b.Groups = append(b.Groups, label(fmt.Sprintf("%s (%d)", t.Name, t.TID)))
			s.Values = append(s.Values, float64(t.EnergyNJ)/1e9)
		}
	}
	if len(b.Groups) > 0 {
		out = append(out, chart.FigureHTML(b))
	}
	return out
}

// shares draws who has which part of the program's energy as one bar, in the place of e-Surgeon's
// pie (figure 4): the methods where some are sampled, else the threads.
func shares(l *stream.Line) chart.Parts {
	of, rest, whole := "methods", l.MoreMethods, l.SampledNJ
	var names []string
	var energies []int64
	for _, m := range l.Methods {
		names, energies = append(names, m.Unit), append(energies, m.EnergyNJ)
	}
	if len(names) == 0 {
		of, rest, whole = "threads", l.MoreThreads, l.TargetNJ
		for _, t := range l.Threads {
			names = append(names, fmt.Sprintf("%s (%d)", t.Name, t.TID))
			energies = append(energies, t.EnergyNJ)
		}
	}
	b := chart.Parts{Title: "Shares of the program's " + amount(l) + ", by its " + of}
	shown := min(len(names), mostParts)
	for i, name := range names[:shown] {
		b.Parts = append(b.Parts, chart.Part{Name: label(name),
			Value: float64(energies[i]), Amount: inWords(l, energies[i])})
		whole -= energies[i]
	}
	if rest += len(names) - shown; rest > 0 && whole > 0 {
		b.Parts = append(b.Parts, chart.Part{Name: fmt.Sprintf("%d others", rest),
			Value: float64(whole), Amount: inWords(l, whole), Colour: mostParts + 1})
	}
	return b
}

// mostLabel bounds a name on a drawing, in characters.
const mostLabel = 24

// label returns the end of a name that is too long for a drawing: methods of one package begin with
// the same.
func label(name string) string {
	if r := []rune(name); len(r) > mostLabel {
		name = "…" + string(r[len(r)-mostLabel+1:])
	}
	return printable.Cut(name, mostLabel)
}

// inWords returns an amount of a line with its unit.
func inWords(l *stream.Line, nj int64) string {
	if l.Joules() {
		return units.Energy(nj).String()
	}
	return fmt.Sprintf("%.2f s", float64(nj)/1e9)
}

func tables(l *stream.Line) []table {
	first := 0
	if !l.Joules() {
		first = 1 // an amount is CPU time, which stands once
	}
	joules := func(nj int64) string { return inWords(l, nj) }
	cpu := func(ns int64) string { return fmt.Sprintf("%.2f s", float64(ns)/1e9) }
	head := []string{"energy", "now", "CPU time"}[first:]
	m := table{Title: "method", Head: []string{"energy", "share", "95 % interval", "CPU time",
		"samples"}[first:], More: l.MoreMethods + max(len(l.Methods)-mostRows, 0)}
	for _, x := range l.Methods[:min(len(l.Methods), mostRows)] {
		m.Rows = append(m.Rows, []string{printable.Name(x.Unit), joules(x.EnergyNJ),
			fmt.Sprintf("%.1f %%", 100*x.Share),
			fmt.Sprintf("%.1f to %.1f %%", 100*x.Low, 100*x.High), cpu(x.CPUNS),
			fmt.Sprint(x.Samples)})
	}
	t := table{Title: "thread", Head: head,
		More: l.MoreThreads + max(len(l.Threads)-mostRows, 0)}
	for _, x := range l.Threads[:min(len(l.Threads), mostRows)] {
		name, now := fmt.Sprintf("%s (%d)", x.Name, x.TID), l.Rate(x.Watts)
		if x.Ended {
			name, now = name+" ended", ""
		}
		t.Rows = append(t.Rows, []string{printable.Name(name), joules(x.EnergyNJ), now,
			cpu(x.CPUNS)})
	}
	p := table{Title: "process", Head: append(slices.Clone(head), "threads", "ended"),
		More: l.MoreProcesses + max(len(l.Processes)-mostRows, 0)}
	for _, x := range l.Processes[:min(len(l.Processes), mostRows)] {
		p.Rows = append(p.Rows, []string{printable.Name(fmt.Sprintf("%s (%d)", x.Name, x.PID)),
			joules(x.EnergyNJ), l.Rate(x.Watts), cpu(x.CPUNS),
			fmt.Sprint(x.Threads), fmt.Sprint(x.Ended)})
	}
	for _, all := range []table{m, t, p} {
		for i, row := range all.Rows {
			all.Rows[i] = append(row[:1:1], row[1+first:]...)
		}
	}
	out := []table{t, p}
	if len(m.Rows) > 0 {
		out = append([]table{m}, out...)
	}
	return out
}
