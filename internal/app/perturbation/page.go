package perturbation

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// The numbers of frequency ranges that the page's figures distinguish, as in Chappie.
const (
	temporalRanges = 8
	spatialRanges  = 4
)

// WriteHTML writes the results as a self-contained page.
func (s *Search) WriteHTML(w io.Writer, rows []Row) error {
	var text strings.Builder
	if err := s.WriteText(&text, rows, printable.All); err != nil {
		return err
	}
	var figures []template.HTML
	draw := func(f chart.Figure) { figures = append(figures, chart.FigureHTML(f)) }
	draw(differences(rows))
	if f, ok := correlations(rows); ok {
		draw(f)
	}
	last := chosen(rows)
	for _, f := range s.shapes(last) {
		draw(f)
	}
	for _, f := range last.footprints() {
		draw(f)
	}
	command := strings.Join(s.argv, " ")
	shell := chart.Page{
		Title: "ebb calm: " + command, Heading: "Does sampling perturb " + command + "?",
		Content: calmContent,
		Data: map[string]any{"Found": strings.Split(s.found(rows), "\n"), "Text": text.String(),
			"Figures": figures, "Runs": s.howMany(), "Power": last.power(),
			"Period": last.PeriodMS},
	}
	return shell.Write(w)
}

// howMany returns the number of runs that were compared, in words.
func (s *Search) howMany() string {
	if s.Runs > 0 {
		return fmt.Sprintf("%d of each", s.Runs)
	}
	return "as many of each as a verdict took"
}

// differences shows the differences of time, and with meters of energy and power, from the program
// alone (Chappie, figure 4).
func differences(rows []Row) chart.Bars {
	f := chart.Bars{
		Title: "Difference, observed to alone", Y: chart.Axis{Label: "difference", Unit: "%",
			Zero: true},
		Levels: []chart.Level{{Name: "threshold of time", At: 100 * MaxTime},
			{At: -100 * MaxTime}},
	}
	series := []struct {
		name string
		of   func(*Row) bench.Interval
	}{
		{"time", func(r *Row) bench.Interval { return r.Time }},
		{"time without waiting for CPUs", func(r *Row) bench.Interval { return r.Undelayed }},
		{"CPU time", func(r *Row) bench.Interval { return r.CPU }},
		{"energy", func(r *Row) bench.Interval { return r.Energy }},
		{"power", func(r *Row) bench.Interval { return r.Power }},
	}
	for i := range rows {
		f.Groups = append(f.Groups, fmt.Sprintf("%d ms", rows[i].PeriodMS))
	}
	for _, s := range series {
		line, known := chart.Series{Name: s.name}, false
		for i := range rows {
			v, lo, hi := math.NaN(), math.NaN(), math.NaN()
			if x := s.of(&rows[i]); x.Known() {
				v, lo, hi, known = 100*x.Estimate, 100*x.Lo, 100*x.Hi, true
			}
			line.Values, line.Low, line.High = append(line.Values, v), append(line.Low,
				lo), append(line.High, hi)
		}
		if known {
			f.Series = append(f.Series, line)
		}
	}
	return f
}

// correlations shows the correspondence of frequencies; false if none could be read.
func correlations(rows []Row) (chart.Bars, bool) {
	f := chart.Bars{
		Title: "Correspondence of frequencies", Y: chart.Axis{Label: "correlation", Max: 1},
		Levels: []chart.Level{{Name: "threshold", At: MinCorrelation}},
	}
	known := false
	names := []string{"temporal", "spatial"}
	f.Series = make([]chart.Series, len(names))
	for i := range rows {
		f.Groups = append(f.Groups, fmt.Sprintf("%d ms", rows[i].PeriodMS))
		for j, c := range []Correlation{rows[i].Temporal, rows[i].Spatial} {
			s := &f.Series[j]
			s.Name = names[j]
			v, e := math.NaN(), math.NaN()
			if c.Known {
				v, e, known = c.R, c.SE, true
			}
			s.Values, s.Low, s.High = append(s.Values, v), append(s.Low, v-1.96*e), append(s.High,
				min(v+1.96*e, 1))
		}
	}
	return f, known
}

// shapes draws the temporal and the spatial characterisation of the runs of one period, alone and
// under observation.
func (s *Search) shapes(r *Row) (out []chart.Figure) {
	kinds := []string{"alone", fmt.Sprintf("sampled every %d ms", r.PeriodMS)}
	o, ref := shapesOf(r.observed, r.reference, temporalRanges)
	for i, shape := range []*Shape{ref, o} {
		if shape == nil {
			return nil
		}
		f := chart.Stacks{
			Title: "Cores at each frequency, " + kinds[i], X: chart.Axis{Label: "time", Unit: "s"},
			Y: chart.Axis{Label: "share of cores", Unit: "%",
				Max: 100}, Step: s.Epoch.Seconds(), Height: 260,
		}
		for k, shares := range shape.Temporal {
			f.Layers = append(f.Layers, chart.Layer{Name: frequencies(shape, k),
				Values: percents(shares)})
		}
		out = append(out, f)
	}
	o, ref = shapesOf(r.observed, r.reference, spatialRanges)
	for i, shape := range []*Shape{ref, o} {
		f := chart.Lines{
			Title: "Share of epochs by the number of cores at a frequency, " +
				kinds[i], X: chart.Axis{Label: "cores"},
			Y: chart.Axis{Label: "share of epochs", Unit: "%", Max: 100}, Height: 260,
		}
		for k, shares := range shape.Spatial {
			line := chart.Line{Name: frequencies(shape, k), Y: percents(shares)}
			for m := range shares {
				line.X = append(line.X, float64(m))
			}
			f.Lines = append(f.Lines, line)
		}
		out = append(out, f)
	}
	return out
}

// frequencies returns the name of a range of a shape.
func frequencies(s *Shape, i int) string {
	hz := func(f float64) units.Frequency { return units.Frequency(math.Round(f/1e6) * 1e6) }
	if s.Width == 0 {
		return hz(s.Low).String()
	}
	return fmt.Sprintf("%v to %v", hz(s.Low+float64(i)*s.Width), hz(s.Low+float64(i+1)*s.Width))
}

func percents(shares []float64) (out []float64) {
	for _, v := range shares {
		out = append(out, 100*v)
	}
	return out
}

var calmContent = chart.Content("calm", `{{range .Found}}<p class="lead begins">{{.}}</p>
{{end}}<p class="soft">Observed runs compared with runs alone: {{.Runs}}, in turn, for each sampling period. Bars have 95&nbsp;% intervals.</p>
{{range .Figures}}{{.}}{{end}}
{{if .Power}}<p class="soft">Shares of energy are those of the runs that were sampled every {{.Period}}&nbsp;ms. The energy is {{.Power}}.</p>
{{end}}<pre>{{.Text}}</pre>
`)
