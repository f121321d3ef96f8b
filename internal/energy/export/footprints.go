package export

import (
	"fmt"
	"html/template"
	"math"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Footprint is the energy of a run by one kind of unit (Chappie, section 5.3).
type Footprint struct {
	By   string // "method", "class", "package"
	Rows []profile.Row
}

// Footprints returns a profile's footprints by method, class and package, by a rule; none if
// nothing was sampled. Without given prefixes of library code it uses profile.Library.
func Footprints(p *profile.Profile, library []string, rule int) (out []Footprint) {
	if p.Unsampled() {
		return nil
	}
	for _, by := range []string{"method", "class", "package"} {
		if v, err := profile.NewView(p, by, library); err == nil {
			out = append(out, Footprint{by, p.Rows(v, rule)})
		}
	}
	return out
}

// topRanks is the number of units that a drawing shows.
const topRanks = 10

// drawFootprints draws the units with the most energy, the share of the energy beside that of the
// CPU time (Chappie, figures 2, 11 and 13). Without joules there is that of the CPU time alone.
func drawFootprints(p *profile.Profile, footprints []Footprint) (out []template.HTML) {
	for _, f := range footprints {
		if len(f.Rows) == 0 || f.By == "method" && !p.Joules() { // the table shows the same
			continue
		}
		out = append(out, chart.FigureHTML(f.figure(p.Amounts())))
	}
	return out
}

func (f *Footprint) figure(a profile.Amounts) chart.Ranks {
	g := chart.Ranks{Title: "Most " + a.Name() + ", by " + f.By, Width: narrow,
		X: chart.Axis{Label: "share of the attributed energy, and of the CPU time", Unit: "%"}}
	used, time := chart.Series{Name: a.Name() + ", 95 % interval"},
		chart.Series{Name: "CPU time", Colour: 2}
	whole := int64(0)
	for i := range f.Rows {
		whole += f.Rows[i].TimeNS
	}
	for i := range f.Rows[:min(len(f.Rows), topRanks)] {
		r := &f.Rows[i]
		g.Names = append(g.Names, printable.Name(r.Unit))
		used.Values = append(used.Values, 100*r.Share)
		used.Low, used.High = append(used.Low, 100*r.Low), append(used.High, 100*r.High)
		part := math.NaN()
		if whole > 0 {
			part = 100 * float64(r.TimeNS) / float64(whole)
		}
		time.Values = append(time.Values, part)
	}
	g.Series = []chart.Series{used, time}
	if !a.Joules() { // otherwise there would be two equal bars
		g.X.Label, g.Series = "share of the CPU time", []chart.Series{used}
	}
	return g
}

// overLine is a row of the table of over-attribution.
type overLine struct {
	Unit, Ratio string
	Times       float64
}

// overLines returns the units with the most energy, with what a measurement that ignores concurrent
// threads gives them over what it gives them otherwise (Chappie, table 2). It returns none unless
// the profile has both rules.
func overLines(p *profile.Profile, footprints []Footprint) (out []overLine) {
	for _, f := range footprints {
		if f.By != "method" {
			continue
		}
		for i := range f.Rows[:min(len(f.Rows), topRanks)] {
			r := &f.Rows[i]
			if over := p.OverAttribution(r.Rules); over > 0 {
				out = append(out, overLine{short(printable.Name(r.Unit)),
					fmt.Sprintf("%.2f times", over), over})
			}
		}
	}
	return out
}
