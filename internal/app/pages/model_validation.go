package pages

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed validation.tmpl
var validationText string

var validationContent = chart.Content("validation", validationText)

// Validation compares a model with a metered table.
type Validation struct {
	Model       *powermodel.Model
	Name, Table string // names of the files
	Checked     []powermodel.Checked
	Intervals   *powermodel.Table      // the table, with the model's inputs in its order
	Learned     *powermodel.Validation // the learner trained on the table; nil for none
}

// Write writes the page.
func (v *Validation) Write(w io.Writer) error {
	data := map[string]any{"Rows": v.rows(), "Provenance": provenance(v.Model),
		"Table": printable.Name(v.Table), "Learner": printable.Name(v.Model.Learner),
		"Whole":  chart.FigureHTML(v.asItIs()),
		"Course": chart.FigureHTML(course(v.Model, v.Intervals))}
	if r := ranges(v.Model, v.Intervals); len(r.Names) > 0 {
		data["Ranges"] = chart.FigureHTML(r)
	}
	if v.Learned != nil {
		data["Errors"] = chart.FigureHTML(v.errors())
		data["Coverage"] = chart.FigureHTML(v.coverage())
		data["Shuffled"] = printable.Percent(v.Learned.Shuffled)
		left, later := 0.0, 0.0
		for _, p := range v.Learned.Programs {
			left += math.Abs(p.LeftOut) / float64(len(v.Learned.Programs))
			later += math.Abs(p.LaterHalf) / float64(len(v.Learned.Programs))
		}
		data["LeftOut"], data["Later"] = printable.Percent(left), printable.Percent(later)
	}
	name := printable.Name(v.Name)
	p := chart.Page{Title: name + ": how far it misses", Heading: "How far " + name + " misses",
		Content: validationContent, Data: data}
	return p.Write(w)
}

// row is a line of the table of programs.
type row struct {
	Name, Seen, Total, Interval, Held, Outside string
	Rows                                       int
}

func (v *Validation) rows() (out []row) {
	for _, c := range v.Checked {
		r := row{Name: printable.Name(c.Program), Seen: "no", Rows: c.Rows,
			Total: printable.SignedPercent(c.Total), Interval: printable.Percent(c.Interval),
			Held:    "unknown",
			Outside: printable.Percent(c.Outside)}
		if c.Seen {
			r.Seen = "yes"
		}
		if !math.IsNaN(c.Held) {
			r.Held = printable.Percent(c.Held)
		}
		out = append(out, r)
	}
	return out
}

// asItIs draws the errors of the model itself. Programs that it has seen stand apart where there
// are both kinds.
func (v *Validation) asItIs() chart.Bars {
	f := chart.Bars{Title: "Error of a program's energy, the model as it is",
		Y: chart.Axis{Label: "error", Unit: "%", Zero: true}}
	seen, unseen := chart.Series{Name: "trained on"}, chart.Series{Name: "not trained on"}
	for _, c := range v.Checked {
		f.Groups = append(f.Groups, printable.Name(c.Program))
		a, b := math.NaN(), 100*c.Total
		if c.Seen {
			a, b = b, a
		}
		seen.Values, unseen.Values = append(seen.Values, a), append(unseen.Values, b)
	}
	known := func(v float64) bool { return !math.IsNaN(v) }
	for _, s := range []chart.Series{seen, unseen} {
		if slices.ContainsFunc(s.Values, known) {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

// errors draws the three kinds of errors of the learner on the table.
func (v *Validation) errors() chart.Bars {
	f := chart.Bars{Title: "Error of a program's energy, three ways to validate",
		Y: chart.Axis{Label: "error", Unit: "%", Zero: true}}
	series := []chart.Series{{Name: "left out"}, {Name: "later half"}, {Name: "shuffled"}}
	for _, p := range v.Learned.Programs {
		f.Groups = append(f.Groups, printable.Name(p.Program))
		for i, e := range []float64{p.LeftOut, p.LaterHalf, p.Shuffled} {
			series[i].Values = append(series[i].Values, 100*e)
		}
	}
	f.Series = series
	return f
}

// coverage draws held shares against nominal ones.
func (v *Validation) coverage() chart.Lines {
	held, ideal := chart.Line{Name: "held"}, chart.Line{Name: "nominal", Step: false}
	for _, c := range v.Learned.Coverage {
		held.X, held.Y = append(held.X, 100*c.Nominal), append(held.Y, 100*c.Held)
		ideal.X, ideal.Y = append(ideal.X, 100*c.Nominal), append(ideal.Y, 100*c.Nominal)
	}
	return chart.Lines{Title: "What intervals of left-out programs hold",
		X:     chart.Axis{Label: "nominal", Unit: "%"},
		Y:     chart.Axis{Label: "held", Unit: "%", Min: 40, Max: 100},
		Lines: []chart.Line{held, ideal}}
}

// provenance returns the lines that say where a model comes from.
func provenance(m *powermodel.Model) (out [][2]string) {
	p := m.Provenance
	for _, line := range [][2]string{{"machine", p.CPUModel}, {"kernel", p.Kernel},
		{"JVM", p.JVM}, {"meter", p.Meter}, {"trained", p.Date}} {
		if line[1] != "" {
			out = append(out, [2]string{line[0], printable.Name(line[1])})
		}
	}
	if p.CPUs > 0 {
		out = slices.Insert(out, min(1, len(out)), [2]string{"CPUs", fmt.Sprint(p.CPUs)})
	}
	if p.Intervals > 0 {
		out = append(out, [2]string{"intervals", fmt.Sprint(p.Intervals)})
	}
	return out
}

// figures returns the drawings as HTML.
func figures(of ...chart.Figure) (out []template.HTML) {
	for _, f := range of {
		out = append(out, chart.FigureHTML(f))
	}
	return out
}
