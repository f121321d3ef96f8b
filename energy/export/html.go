package export

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/chart"
	"github.com/ebb-energy/ebb/internal/page"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed flame.tmpl
var contentText string

//go:embed flame.js
var script string

var content = page.Content("flame", contentText)

// HTML writes a page that needs nothing else: a flame graph (width: energy, colour: power while it
// ran), the power and the frequency over time, and the first rows of a view.
func HTML(w io.Writer, title string, p *profile.Profile, rows []profile.Row, rule int) error {
	tree, err := json.Marshal(grow(p, rule)) // escapes what would end the script
	if err != nil {
		return fmt.Errorf("make the flame graph: %w", err)
	}
	name := printable.Name(title)
	shell := page.Page{
		Title: name + ": where the energy went", Heading: name, Content: content,
		Data: flame{
			Rule: printable.Name(p.Rules[rule]), Script: template.JS(script),
			Tree: template.JS(tree), Zones: zoneLines(p, rule), Charts: timeline(p),
			Rows: rowLines(p, rows), More: max(len(rows)-maxRowLines, 0),
			Resolution: p.Resolution(), Rate: p.RateHz, Wall: seconds(p.WallNS), Lost: p.Lost,
			Nameless: shown(p.WithoutNames(rule)), Problems: shown(p.Problems),
			Notes: notes(p, rows), Network: networkNote(p),
		},
	}
	if err := shell.Write(w); err != nil {
		return fmt.Errorf("write the flame graph: %w", err)
	}
	return nil
}

// flame has the values that the template shows.
type flame struct {
	Rule       string
	Script     template.JS
	Tree       template.JS
	Zones      []zoneLine
	Charts     []template.HTML
	Rows       []rowLine
	More       int // rows that are left out
	Resolution profile.Resolution
	Rate       int
	Wall       string
	Lost       uint64
	Nameless   []string
	Problems   []string
	Notes      []string
	Network    string
}

// maxRowLines bounds the rows on the page.
const maxRowLines = 30

func zoneLines(p *profile.Profile, rule int) (out []zoneLine) {
	for i := range p.Zones {
		z := &p.Zones[i]
		out = append(out, zoneLine{
			Name: printable.Name(z.Name), Source: printable.Name(z.Source),
			Model: printable.Name(z.Model), Total: units.Energy(z.TotalNJ).String(),
			Attributed: units.Energy(z.Attr[rule]).String(),
			Others:     units.Energy(z.OthersNJ[rule]).String(),
			Idle:       units.Energy(z.IdleNJ[rule]).String(),
			Rest:       units.Energy(z.RestNJ[rule]).String(),
		})
	}
	return out
}

func rowLines(p *profile.Profile, rows []profile.Row) (out []rowLine) {
	for i := range rows[:min(len(rows), maxRowLines)] {
		x := &rows[i]
		out = append(out, rowLine{
			Rank: x.Rank, Unit: short(printable.Name(x.Unit)),
			Energy: units.Energy(x.Energy).String(), Share: percent(x.Share),
			Interval: percent(x.Low) + " to " + percent(x.High), Time: seconds(x.TimeNS),
			Watts: units.Power(x.Watts).String(), Samples: x.Samples, Network: networkOf(p, x),
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
	// sent, received, modelled, within the machine; none when not counted
	Network []string
}

func networkOf(p *profile.Profile, r *profile.Row) []string {
	if p.Network == nil {
		return nil
	}
	c := p.Network.Cells(r.Network)
	return c[:]
}

// shown are sentences as they can be shown: template escapes what HTML means by a name, and not
// what turns letters round.
func shown(sentences []string) (out []string) {
	for _, s := range sentences {
		out = append(out, printable.Name(s))
	}
	return out
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

// timeline draws the power and the frequency.
func timeline(p *profile.Profile) (out []template.HTML) {
	var at, watts, ghz []float64
	for _, pt := range p.Timeline {
		// A window of no length has no power.
		w := math.NaN()
		if pt.DurNS > 0 {
			w = pt.Watts
		}
		at, watts, ghz = append(at, float64(pt.AtNS)/1e9), append(watts, w), append(ghz,
			float64(pt.FreqHz)/1e9)
	}
	if len(at) == 0 {
		return nil
	}
	figures := []chart.Lines{
		{
			Title: "Power over time", X: chart.Axis{Label: "time",
				Unit: "s"}, Y: chart.Axis{Label: "power", Unit: "W", Zero: true},
			Lines: []chart.Line{{Name: "power", X: at, Y: watts, Step: true}}, Height: 200,
		},
		{
			Title: "Frequency over time", X: chart.Axis{Label: "time",
				Unit: "s"}, Y: chart.Axis{Label: "frequency", Unit: "GHz", Zero: true},
			Lines: []chart.Line{{Name: "frequency", X: at, Y: ghz, Step: true,
				Colour: 2}}, Height: 200,
		},
	}
	for _, f := range figures {
		out = append(out, page.Figure(f))
	}
	return out
}
