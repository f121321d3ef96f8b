package export

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

// narrow is the width of a drawing that stands beside another.
const narrow = 660

// timeline draws the power, where it is known, and the actual and the decided frequency. A
// frequency that did not change becomes a sentence.
func timeline(p *profile.Profile, run *Run) (out []template.HTML, steady string) {
	var watts, clock, decided stairs
	for i, pt := range p.Timeline {
		last := i == len(p.Timeline)-1
		// A window without length has no power.
		w := math.NaN()
		if pt.DurNS > 0 {
			w = pt.Watts
		}
		watts.add(pt.AtNS, pt.DurNS, w, last)
		clock.add(pt.AtNS, pt.DurNS, gigahertz(pt.FreqHz), last)
	}
	for i, s := range run.Steps {
		decided.add(int64(s.At), int64(s.Dur), gigahertz(int64(s.Frequency)),
			i == len(run.Steps)-1)
	}
	time := chart.Axis{Label: "time", Unit: "s"}
	if len(watts.x) > 0 && p.Joules() {
		out = append(out, chart.FigureHTML(chart.Lines{
			Title: "Power over time", X: time, Y: chart.Axis{Label: "power", Unit: "W", Zero: true},
			Lines: []chart.Line{watts.line("power", 1)}, Width: narrow, Height: 180,
		}))
	}
	lines := frequencies(clock, decided, run.Shadow)
	if steady = unchanged(lines); steady == "" && len(lines) > 0 {
		out = append(out, chart.FigureHTML(chart.Lines{
			Title: "Frequency over time", X: time,
			Y:     chart.Axis{Label: "frequency", Unit: "GHz"}, // from zero, steps would look flat
			Lines: lines, Width: narrow, Height: 190,
		}))
	}
	return out, steady
}

// unchanged returns the value that all lines have, if it is a single one; "" where there are
// several.
func unchanged(lines []chart.Line) string {
	var names []string
	for i := range lines {
		for _, y := range lines[i].Y {
			if y != lines[0].Y[0] { // true for NaN, too
				return ""
			}
		}
		names = append(names, lines[i].Name)
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("The frequency %s was %.4g GHz all the time.", strings.Join(names, " and "),
		lines[0].Y[0])
}

// frequencies returns the lines of the program's clock and of the decisions.
func frequencies(clock, decided stairs, shadow bool) (lines []chart.Line) {
	if len(clock.x) > 0 {
		lines = append(lines, clock.line("as it ran", 2))
	}
	if len(decided.x) > 0 {
		name := "as ebb asked for"
		if shadow {
			name = "as ebb would have asked for"
		}
		lines = append(lines, decided.line(name, 1))
	}
	return lines
}

// gigahertz returns a frequency in GHz for a drawing; NaN where it is not known.
func gigahertz(hz int64) float64 {
	if hz <= 0 {
		return math.NaN()
	}
	return float64(hz) / 1e9
}

// stairs are the changes of a value over time.
type stairs struct{ x, y []float64 }

// add appends a value that holds from a moment on. A value equal to the one before is only added at
// the end, where the last one holds for its length.
func (s *stairs) add(atNS, durNS int64, v float64, last bool) {
	x := float64(atNS) / 1e9
	if n := len(s.y); n == 0 || s.y[n-1] != v {
		s.x, s.y = append(s.x, x), append(s.y, v)
	}
	if last {
		s.x, s.y = append(s.x, x+float64(durNS)/1e9), append(s.y, v)
	}
}

func (s *stairs) line(name string, colour int) chart.Line {
	return chart.Line{Name: name, X: s.x, Y: s.y, Step: true, Colour: colour}
}
