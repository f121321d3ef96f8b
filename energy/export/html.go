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
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed flame.tmpl
var pageText string

//go:embed flame.js
var script string

//go:embed flame.css
var style string

var page = template.Must(template.New("flame").Parse(pageText))

// HTML writes a page that needs nothing else: a flame graph (width: energy, colour: power while it
// ran), the power and the frequency over time, and the first rows of a view.
func HTML(w io.Writer, title string, p *profile.Profile, rows []profile.Row, rule int) error {
	tree, err := json.Marshal(grow(p, rule)) // escapes what would end the script
	if err != nil {
		return fmt.Errorf("make the flame graph: %w", err)
	}
	r := p.Resolution()
	data := struct {
		Title, Rule   string
		CSS, ChartCSS template.CSS
		Script        template.JS
		Tree          template.JS
		Zones         []zoneLine
		Charts        []template.HTML
		Rows          []rowLine
		More          int
		Resolution    profile.Resolution
		Rate          int
		Wall          string
		Lost          uint64
		Nameless      []string
		Problems      []string
		Notes         []string
		Network       string
	}{
		Title: printable.Name(title), Rule: printable.Name(p.Rules[rule]), CSS: template.CSS(style), ChartCSS: template.CSS(chart.CSS), Script: template.JS(script),
		Tree: template.JS(tree), Charts: timeline(p), Resolution: r, Rate: p.RateHz, Wall: seconds(p.WallNS), Lost: p.Lost,
		Nameless: shown(p.WithoutNames(rule)), Problems: shown(p.Problems),
	}
	if s := p.Shortened(); s != "" {
		data.Notes = append(data.Notes, "Kept: "+s+".")
	}
	if p.Network != nil {
		data.Network = printable.Name(p.Network.Line())
	}
	for i := range p.Zones {
		z := &p.Zones[i]
		data.Zones = append(data.Zones,
			zoneLine{printable.Name(z.Name), printable.Name(z.Source), printable.Name(z.Model),
				units.Energy(z.TotalNJ).String(), units.Energy(z.Attr[rule]).String(),
				units.Energy(z.OthersNJ[rule]).String(), units.Energy(z.IdleNJ[rule]).String(),
				units.Energy(z.RestNJ[rule]).String()})
	}
	data.Notes = append(data.Notes, shown(p.Notes(rows))...)
	for i := range rows {
		if i == 30 {
			data.More = len(rows) - i
			break
		}
		x := &rows[i]
		data.Rows = append(data.Rows,
			rowLine{x.Rank, short(printable.Name(x.Unit)), units.Energy(x.Energy).String(),
				percent(x.Share), percent(x.Low) + " to " + percent(x.High),
				seconds(x.TimeNS), units.Power(x.Watts).String(), x.Samples, networkOf(p, x)})
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("write the flame graph: %w", err)
	}
	return nil
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
		out = append(out, template.HTML(f.SVG())) // made of numbers and of the constants above
	}
	return out
}
