package accuracy

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Sizes of a plot, in its own units.
const (
	plotLeft, plotTop = 110, 34
	plotWidth         = 900
	plotRow           = 22
	plotRange         = 50 // percent shown to either side; what is beyond stands at the edge
)

// series are the models a plot shows, by name, with colour and shape.
var series = []struct{ name, colour, shape string }{
	{"wake", "#1f7a5c", "disc"},
	{"wake, real counters", "#58a6d6", "ring"},
	{"dep+burst", "#d98a2b", "square"},
	{"m+crit", "#b0455a", "cross"},
}

// plot is a drawing of the signed errors of a set at one pair: a row per workload, a mark per model.
func (r *Result) plot(s *Set, pair int) template.HTML {
	var b strings.Builder
	height := plotTop + plotRow*len(s.Workloads) + 26
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="signed error per workload">`,
		plotLeft+plotWidth+30, height, plotLeft+plotWidth+30, height)
	for v := -plotRange; v <= plotRange; v += 10 {
		x := plotX(float64(v))
		width := 1
		if v == 0 {
			width = 2
		}
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke-width="%d"/>`, x, plotTop-6, x, height-22, width)
		fmt.Fprintf(&b, `<text class="soft" x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, height-6, axis(v))
	}
	x := float64(plotLeft)
	for _, m := range series {
		if r.index(m.name) < 0 {
			continue
		}
		mark(&b, x+6, 14, m.colour, m.shape)
		fmt.Fprintf(&b, `<text x="%.1f" y="18">%s</text>`, x+16, template.HTMLEscapeString(m.name))
		x += 50 + 7*float64(len(m.name))
	}
	for k, name := range s.Workloads {
		y := float64(plotTop + plotRow*k + plotRow/2)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, plotLeft-12, y+4, template.HTMLEscapeString(name))
		for i := len(series) - 1; i >= 0; i-- {
			j := r.index(series[i].name)
			if j < 0 || math.IsNaN(s.Errors[pair][j][k]) {
				continue
			}
			mark(&b, plotX(s.Errors[pair][j][k]), y, series[i].colour, series[i].shape)
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func axis(v int) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d %%", v)
}

func plotX(percent float64) float64 {
	v := min(max(percent, -plotRange-2), plotRange+2)
	return plotLeft + plotWidth*(v+plotRange)/(2*plotRange)
}

func (r *Result) index(name string) int {
	for i := range r.Models {
		if r.Models[i].Name == name {
			return i
		}
	}
	return -1
}

func mark(b *strings.Builder, x, y float64, colour, shape string) {
	switch shape {
	case "disc":
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`, x, y, colour)
	case "ring":
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4.5" fill="none" stroke="%s" stroke-width="2"/>`, x, y, colour)
	case "square":
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="8" height="8" fill="%s"/>`, x-4, y-4, colour)
	case "cross":
		fmt.Fprintf(b, `<path d="M%.1f %.1f l8 8 m0 -8 l-8 8" stroke="%s" stroke-width="2" fill="none"/>`, x-4, y-4, colour)
	}
}
