package export

import (
	"html/template"
	"math"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/chart"
	"github.com/ebb-energy/ebb/internal/page"
)

// timeline draws the power, and the frequency as it was and as it was decided.
func timeline(p *profile.Profile, run *Run) (out []template.HTML) {
	var watts, clock, decided stairs
	for i, pt := range p.Timeline {
		last := i == len(p.Timeline)-1
		// A window of no length has no power.
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
	if len(watts.x) > 0 {
		out = append(out, page.Figure(chart.Lines{
			Title: "Power over time", X: time, Y: chart.Axis{Label: "power", Unit: "W", Zero: true},
			Lines: []chart.Line{watts.line("power", 1)}, Height: 200,
		}))
	}
	if lines := frequencies(clock, decided, run.Shadow); len(lines) > 0 {
		out = append(out, page.Figure(chart.Lines{
			Title: "Frequency over time", X: time,
			Y:     chart.Axis{Label: "frequency", Unit: "GHz"}, // from zero, steps would look flat
			Lines: lines, Height: 220,
		}))
	}
	return out
}

// frequencies are the lines of the clock that the program ran at, and of the decisions.
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

// gigahertz is a frequency on a drawing; none where it is not known.
func gigahertz(hz int64) float64 {
	if hz <= 0 {
		return math.NaN()
	}
	return float64(hz) / 1e9
}

// stairs are the changes of a value over time.
type stairs struct{ x, y []float64 }

// add appends a value that holds from a moment on. Values equal to the one before only count at
// the end, where the last holds for its length.
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
