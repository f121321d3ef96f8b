package pages

import (
	_ "embed"
	"fmt"
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed training.tmpl
var trainingText string

var trainingContent = chart.Content("training", trainingText)

// Training shows a model that was just trained.
type Training struct {
	Name  string // name of the model's file
	Model *powermodel.Model
	Table *powermodel.Table // table that the model was trained on, with its inputs
	// Demographics are the findings of a selection of events; nil for none.
	Demographics *Demographics
}

// Demographics are the events of a selection (VESTA, figure 4).
type Demographics struct {
	PerHit    float64 // cost of a hit, ns
	Threshold float64 // bound for an event, as a part of a program's CPU time
	Joint     float64 // bound for all chosen events together
	Events    []EventCost
	Programs  []ProgramCost
}

// EventCost is an event with the most that counting it costs any program.
type EventCost struct {
	Name, Class string
	Cost        float64
	Chosen      bool
}

// ProgramCost is the cost of counting for a program.
type ProgramCost struct {
	Name        string
	All, Chosen float64
	// Measured are the costs in CPU time, time and energy that were measured, in words; nil where
	// none were.
	Measured []string
	Drawn    []DrawnCost
}

// DrawnCost is the cost of a number of events drawn at random, with the middle nine tenths of many
// draws.
type DrawnCost struct {
	Events          int
	Mean, Low, High float64
}

// Write writes the page.
func (t *Training) Write(w io.Writer) error {
	m := t.Model
	data := map[string]any{"Provenance": provenance(m),
		"Course": chart.FigureHTML(course(m, t.Table)),
		"Interval": "Its error for another program is unknown: " +
			"that takes five with at least 20 intervals each."}
	if m.Interval != nil {
		data["Interval"] = fmt.Sprintf("The 90 %% interval is that of a program that it has not "+
			"seen: ±%.1f %% on average.", 100*m.Interval.HalfWidth)
	}
	if len(m.Programs) > 0 {
		data["LeftOut"], data["Tiers"] = chart.FigureHTML(t.leftOut()), t.tiers()
	}
	if d := t.Demographics; d != nil {
		data["Demographics"] = chart.FigureHTML(d.classes())
		data["Costs"] = chart.FigureHTML(d.costs())
		data["Selected"] = fmt.Sprintf("Each event that is chosen costs no program more than "+
			"%.3g %% of its CPU time, and all together no more than %.3g %%. A hit of a probe "+
			"costs %.0f ns on this machine.", 100*d.Threshold, 100*d.Joint, d.PerHit)
		data["Programs"], data["Drawn"] = d.rows(), chart.FigureHTML(d.drawn())
	}
	name := printable.Name(t.Name)
	p := chart.Page{Title: name + ": trained", Heading: name + ", trained",
		Content: trainingContent, Data: data}
	return p.Write(w)
}

// leftOut draws the errors on each program by models that have not seen it, one series a tier.
func (t *Training) leftOut() chart.Bars {
	f := chart.Bars{Title: "Error of the energy of a program that was left out",
		Y: chart.Axis{Label: "error", Unit: "%", Zero: true}}
	for m := t.Model; m != nil; m = m.Simpler {
		s := chart.Series{Name: tierName(m.Tier)}
		for _, p := range m.Programs {
			s.Values = append(s.Values, 100*p.Total)
			if m == t.Model {
				f.Groups = append(f.Groups, printable.Name(p.Program))
			}
		}
		if len(s.Values) == len(f.Groups) {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

func tierName(tier string) string {
	switch powermodel.Tier(tier) {
	case powermodel.Clocked:
		return "also the clock"
	case powermodel.Counters:
		return "also counters"
	case powermodel.Runtime:
		return "with events of JVMs"
	case powermodel.All:
		return "with all inputs"
	}
	return "the kernel's inputs"
}

// tiers returns a sentence on the mean error of each tier.
func (t *Training) tiers() (text string) {
	for m := t.Model; m != nil; m = m.Simpler {
		sum := 0.0
		for _, p := range m.Programs {
			sum += math.Abs(p.Total) / float64(len(m.Programs))
		}
		text += fmt.Sprintf("%.1f %% on average, %s. ", 100*sum, tierName(m.Tier))
	}
	return text
}

// classes draws the number of events in each class.
func (d *Demographics) classes() chart.Bars {
	f := chart.Bars{Title: "Events by class", Y: chart.Axis{Label: "events", Zero: true},
		Groups: []string{"rare", "over", "under", "chosen"},
		Series: []chart.Series{{Name: "events", Values: make([]float64, 4)}}}
	for _, e := range d.Events {
		for i, class := range f.Groups {
			if e.Class == class || e.Chosen && class == "chosen" {
				f.Series[0].Values[i]++
			}
		}
	}
	return f
}

// costs draws the costs of the dearest events.
func (d *Demographics) costs() chart.Bars {
	f := chart.Bars{Title: "The dearest events, by the program that each costs the most",
		Y: chart.Axis{Label: "cost", Unit: "%", Zero: true}}
	chosen, other := chart.Series{Name: "chosen"}, chart.Series{Name: "not chosen"}
	for i, e := range d.Events {
		if i == maxBars || e.Cost == 0 {
			break
		}
		a, b := 100*e.Cost, math.NaN()
		if !e.Chosen {
			a, b = b, a
		}
		f.Groups = append(f.Groups, shorter(e.Name))
		chosen.Values, other.Values = append(chosen.Values, a), append(other.Values, b)
	}
	f.Series = []chart.Series{chosen, other}
	return f
}

// drawn draws the cost over the number of events that are drawn at random (VESTA, figure 1).
func (d *Demographics) drawn() chart.Lines {
	f := chart.Lines{Title: "Cost of events drawn at random, by their number",
		X: chart.Axis{Label: "events", Zero: true},
		Y: chart.Axis{Label: "cost", Unit: "%", Zero: true}}
	for _, p := range d.Programs {
		l := chart.Line{Name: printable.Name(p.Name)}
		for _, n := range p.Drawn {
			l.X, l.Y = append(l.X, float64(n.Events)), append(l.Y, 100*n.Mean)
			l.Low, l.High = append(l.Low, 100*n.Low), append(l.High, 100*n.High)
		}
		f.Lines = append(f.Lines, l)
	}
	return f
}

// shorter returns a name for the narrowest places. The first name stands at the drawing's border.
func shorter(name string) string { return shortened(name, 16) }

func (d *Demographics) rows() (out [][]string) {
	for _, p := range d.Programs {
		measured := p.Measured
		if measured == nil {
			measured = []string{"not measured", "", ""}
		}
		out = append(out, append([]string{printable.Name(p.Name),
			fmt.Sprintf("%.2f %%", 100*p.All), fmt.Sprintf("%.2f %%", 100*p.Chosen)},
			measured...))
	}
	return out
}
