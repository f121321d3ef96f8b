package export

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed flame.tmpl
var contentText string

//go:embed flame.js
var script string

//go:embed sort.js
var sorter string

//go:embed switch.js
var switcher string

var content = chart.Content("flame", runText+countsText+contentText)

// HTML writes a page that needs nothing else: what the run was and whether it was worth it, the
// first rows of a view, the power and the frequency over time, and a flame graph (width: energy,
// colour: power while it ran). Without joules there is no power, and the width is CPU time.
func HTML(w io.Writer, run *Run, p *profile.Profile, rows []profile.Row, rule int) error {
	tree, err := json.Marshal(grow(p, rule)) // escapes what would end the script
	if err != nil {
		return fmt.Errorf("make the flame graph: %w", err)
	}
	own := bodyOf(p, run.View, rule, rows, maxRowLines)
	tables := bodies(p, own, run.Tables)
	data := flame{
		Run: run.section(), Lead: lead(p, rows), Rule: own.Rule, Joules: p.Joules(),
		Amount: p.Amounts().Name(), Script: template.JS(script + sorter + switcher),
		Tree: template.JS(tree), Zones: zoneLines(p, rule),
		Footprints: drawFootprints(p, run.Footprints), Over: overLines(p, run.Footprints),
		Tables: tables, Views: choices(tables, (*tableBody).view),
		Rules:      choices(tables, (*tableBody).rule),
		Resolution: p.Resolution(), Rate: p.RateHz, Least: p.LeastRateHz,
		Wall: printable.Seconds(p.WallNS), Lost: p.Lost,
		Problems: shown(p.Problems),
		Notes:    notes(p, rows), Network: networkNote(p), Counts: countedOf(p),
	}
	data.Naming, data.Nameless = nameless(shown(p.WithoutNames(rule)))
	data.Charts, data.Steady = timeline(p, run)
	if t := data.Run.Threads; t != "" { // placed beside what happened over time
		data.Charts, data.Run.Threads = append(data.Charts, t), ""
	}
	shell := chart.Page{
		Heading: printable.Name(run.Name) + ": where the " + p.Amounts().Name() + " went",
		Nav:     data.nav(), Content: content, Data: data,
	}
	if err := shell.Write(w); err != nil {
		return fmt.Errorf("write the flame graph: %w", err)
	}
	return nil
}

// flame has the values that the template shows.
type flame struct {
	Run        runSection
	Lead       []string
	Rule       string
	Joules     bool
	Amount     string // name of what is divided
	Script     template.JS
	Tree       template.JS
	Zones      []zoneLine
	Charts     []template.HTML
	Steady     string // sentence in place of a drawing, for a clock that did not change
	Footprints []template.HTML
	Over       []overLine
	Tables     []tableBody
	Views      []string
	Rules      []string
	Resolution profile.Resolution
	Rate       int
	Least      int // 0: the same
	Wall       string
	Lost       uint64
	Naming     string   // command that would name nameless functions; "" where all have names
	Nameless   []string // a sentence on each file without names
	Problems   []string
	Notes      []string
	Network    string
	Counts     counted
}

// nav returns the links to the page's parts.
func (f *flame) nav() []chart.Link {
	links := []chart.Link{{ID: "most", Text: "most " + f.Amount}}
	add := func(shown bool, id, text string) {
		if shown {
			links = append(links, chart.Link{ID: id, Text: text})
		}
	}
	add(true, "flames", "flame graph")
	add(len(f.Charts) > 0 || f.Steady != "", "time", "over time")
	add(len(f.Counts.Lines) > 0, "counted", "counted calls")
	add(len(f.Footprints) > 0, "footprint", "footprint")
	add(len(f.Run.Lines)+len(f.Run.Savings) > 0, "of-the-run", "the run")
	add(f.Joules, "zones", "zones")
	return links
}

// ownLine returns the line of ebb itself; nil where its time is not known.
func ownLine(p *profile.Profile, rule int) *rowLine {
	if p.OwnRunNS <= 0 {
		return nil
	}
	l := &rowLine{Unit: profile.OwnUnit, Energy: unknown, Time: printable.Seconds(p.OwnRunNS)}
	if e, known := p.Own(rule); known {
		l.Energy = units.Energy(e).String()
		l.Watts = units.Power(float64(e) / float64(p.OwnRunNS)).String()
	}
	if p.Network != nil {
		l.Network = make([]string, len(p.Network.Cells(&profile.Traffic{})))
	}
	return l
}

// maxRowLines bounds the rows on the page.
const maxRowLines = 30

func zoneLines(p *profile.Profile, rule int) (out []zoneLine) {
	for i := range p.Zones {
		z := &p.Zones[i]
		if !p.Joules() {
			out = append(out, zoneLine{Attributed: printable.Seconds(z.Attr[rule])})
			continue
		}
		out = append(out, zoneLine{
			Name: printable.Name(z.Name), Source: printable.Name(z.Source),
			Model: printable.Name(z.Model), Total: units.Energy(z.TotalNJ).String(),
			Attributed: units.Energy(z.Attr[rule]).String(),
			Others:     z.Others(rule),
			Idle:       units.Energy(z.IdleNJ[rule]).String(),
			Rest:       units.Energy(z.RestNJ[rule]).String(),
		})
	}
	return out
}

func rowLines(p *profile.Profile, rows []profile.Row) (out []rowLine) {
	for i := range rows {
		x := &rows[i]
		out = append(out, rowLine{
			Rank: x.Rank, Unit: short(printable.Name(x.Unit)),
			Energy: units.Energy(x.Energy).String(), Share: printable.Percent(x.Share),
			Interval: fmt.Sprintf("%.1f to %.1f %%", 100*x.Low, 100*x.High),
			Time:     printable.Seconds(x.TimeNS),
			Watts:    units.Power(x.Watts).String(), Samples: x.Samples, Network: networkOf(p, x),
			NJ: x.Energy, NS: x.TimeNS, Part: x.Share, Low: x.Low, W: x.Watts, Bar: barOf(x),
		})
	}
	return out
}

func notes(p *profile.Profile, rows []profile.Row) (out []string) {
	if s := p.Shortened(); s != "" {
		out = append(out, "Kept: "+s+".")
	}
	return append(out, shown(p.Notes(rows))...)
}

func networkNote(p *profile.Profile) string {
	if p.Network == nil {
		return ""
	}
	return printable.Name(p.Network.Line())
}

type zoneLine struct{ Name, Source, Model, Total, Attributed, Others, Idle, Rest string }

type rowLine struct {
	Rank                                       int
	Unit, Energy, Share, Interval, Time, Watts string
	Samples                                    int
	// NJ to W are the numbers of the cells, for sorting.
	NJ, NS       int64
	Part, Low, W float64
	Bar          bar
	// cells: sent, received, modelled, within the machine; none when not counted
	Network []string
}

// bar draws a row's share of its cell and, across it, the interval, in percent.
type bar struct{ Width, From, Across float64 }

func barOf(r *profile.Row) bar {
	percent := func(share float64) float64 { return math.Round(1000*min(max(share, 0), 1)) / 10 }
	return bar{percent(r.Share), percent(r.Low), percent(r.High - r.Low)}
}

func networkOf(p *profile.Profile, r *profile.Row) []string {
	if p.Network == nil {
		return nil
	}
	c := p.Network.Cells(r.Network)
	return c[:]
}

// shown escapes what turns letters round in sentences. The template package escapes only what has a
// meaning in HTML.
func shown(sentences []string) (out []string) {
	for _, s := range sentences {
		out = append(out, printable.Name(s))
	}
	return out
}
