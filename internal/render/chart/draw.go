package chart

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// pen collects a drawing.
type pen struct{ strings.Builder }

func (p *pen) begin(width, height int, title, desc string) {
	fmt.Fprintf(p, `<svg class="chart" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`, width, height, width, height,
		html.EscapeString(join(title, desc)))
	fmt.Fprintf(p, "<title>%s</title>", html.EscapeString(title))
	if desc != "" {
		fmt.Fprintf(p, "<desc>%s</desc>", html.EscapeString(desc))
	}
}

func join(title, desc string) string {
	if desc == "" {
		return title
	}
	return title + ". " + desc
}

func (p *pen) end() string {
	p.WriteString("</svg>")
	return p.String()
}

func (p *pen) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(p, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2,
		y2)
}

// text writes s; anchor is start, middle or end.
func (p *pen) text(class, anchor string, x, y float64, s string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(p, `<text%s x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class, x, y, anchor,
		html.EscapeString(s))
}

// slanted writes s so that it ends at x, y and rises to there.
func (p *pen) slanted(x, y float64, s string) {
	fmt.Fprintf(
		p, `<text x="%.1f" y="%.1f" text-anchor="end" transform="rotate(-35 %.1f %.1f)">%s</text>`,
		x, y, x, y, html.EscapeString(s),
	)
}

// upright writes s from bottom to top, with its middle at x, y.
func (p *pen) upright(x, y float64, s string) {
	fmt.Fprintf(
		p,
		`<text class="soft" x="%.1f" y="%.1f" text-anchor="middle" transform="rotate(-90 %.1f %.1f)">%s</text>`, x, y, x, y, html.EscapeString(s),
	)
}

func (p *pen) rect(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(p, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f">%s</rect>`, class,
		x, y, w, h, titled(title))
}

func titled(s string) string {
	if s == "" {
		return ""
	}
	return "<title>" + html.EscapeString(s) + "</title>"
}

// shapes of marks, in the order in which series get them.
var shapes = []string{"disc", "square", "triangle", "diamond", "ring", "cross", "plus", "tee"}

// mark draws a mark of series i's colour and shape.
func (p *pen) mark(colour, shape int, x, y float64, title string) {
	t := titled(title)
	switch shapes[shape%len(shapes)] {
	case "disc":
		fmt.Fprintf(p, `<circle class="f%d" cx="%.1f" cy="%.1f" r="4.5">%s</circle>`, colour, x, y,
			t)
	case "ring":
		fmt.Fprintf(p, `<circle class="s%d open" cx="%.1f" cy="%.1f" r="4">%s</circle>`, colour, x,
			y, t)
	case "square":
		fmt.Fprintf(p, `<rect class="f%d" x="%.1f" y="%.1f" width="8" height="8">%s</rect>`, colour,
			x-4, y-4, t)
	case "triangle":
		fmt.Fprintf(p, `<path class="f%d" d="M%.1f %.1fl5 9h-10z">%s</path>`, colour, x, y-5.5, t)
	case "diamond":
		fmt.Fprintf(p, `<path class="f%d" d="M%.1f %.1fl5 5l-5 5l-5 -5z">%s</path>`, colour, x, y-5,
			t)
	case "cross":
		fmt.Fprintf(p, `<path class="s%d" d="M%.1f %.1fl8 8m0 -8l-8 8">%s</path>`, colour, x-4, y-4,
			t)
	case "plus":
		fmt.Fprintf(p, `<path class="s%d" d="M%.1f %.1fh10m-5 -5v10">%s</path>`, colour, x-5, y, t)
	case "tee":
		fmt.Fprintf(p, `<path class="s%d" d="M%.1f %.1fh10m-5 0v9">%s</path>`, colour, x-5, y-4.5,
			t)
	}
}

// reference is the mark of a value from elsewhere.
func (p *pen) reference(x, y float64, title string) {
	fmt.Fprintf(p, `<path class="ref" d="M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5 -4.5z">%s</path>`, x,
		y-4.5, titled(title))
}

// errorBar is a whisker from lo to hi at x, both on the drawing.
func (p *pen) errorBar(x, lo, hi float64) {
	fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fh6m-3 0V%.1fm-3 0h6"/>`, x-3, lo, hi)
}

// width is about how wide s is in the figures' letters.
func width(s string) float64 { return 6.7 * float64(utf8.RuneCountInString(s)) }
