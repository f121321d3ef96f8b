package chart

import (
	"fmt"
	"math"
	"strings"
)

// Lines is a figure of lines over a common axis.
type Lines struct {
	Title, Desc   string
	X, Y          Axis
	Lines         []Line
	Reference     string // what the lines' References are
	Levels        []Level
	Width, Height int // 0 for the usual size
}

// Line is a series of points. NaN for y interrupts it.
type Line struct {
	Name string
	X, Y []float64
	// Low and High are the ends of error bars, of a step line those of a band; Reference values
	// from elsewhere to stand beside; nil for none.
	Low, High, Reference []float64
	Step                 bool // y holds until the next x, and there are no marks
	Colour               int  // its place in the palette, from 1; 0 for the line's place
}

func (l *Line) colour(i int) int {
	if l.Colour > 0 {
		return (l.Colour - 1) % colours
	}
	return i % colours
}

// SVG implements Figure.
func (l Lines) SVG() string {
	w, h := size(l.Width, l.Height)
	var p pen
	p.begin(w, h, l.Title, l.Desc)
	var entries []entry
	referenced := false
	xs, ys := nothing(), nothing()
	for i := range l.Lines {
		n := &l.Lines[i]
		entries = append(entries, entry{n.Name, func(p *pen, x, y float64) {
			p.line(class("s", n.colour(i)), x-8, y, x+6, y)
			if !n.Step {
				p.mark(n.colour(i), i, x-1, y, "")
			}
		}})
		xs.add(n.X...)
		for _, v := range [][]float64{n.Y, n.Low, n.High, n.Reference} {
			ys.add(v...)
		}
		for _, v := range n.Reference {
			referenced = referenced || !math.IsNaN(v)
		}
	}
	for _, v := range l.Levels {
		ys.add(v.At)
	}
	if len(l.Lines) == 1 && l.Lines[0].Name == l.Y.Label {
		entries = nil // the axis says it
	}
	entries = append(entries, levelEntries(l.Levels)...)
	if referenced {
		entries = append(entries, entry{l.Reference,
			func(p *pen, x, y float64) { p.reference(x, y, "") }})
	}
	f := frame{left: marginLeft, right: float64(w) - marginRight, bottom: float64(h) - 46}
	p.text("name", "start", 12, 20, l.Title)
	f.top = 36 + legend(&p, f.left, 40, f.right, entries)
	x := newScale(l.X, xs, f.left, f.right, 10)
	y := newScale(l.Y, ys, f.bottom, f.top, 6)
	f.horizontal(&p, y, l.Y)
	f.vertical(&p, x, l.X)
	for i := range l.Lines {
		if l.Lines[i].Step {
			l.band(&p, i, x, y)
		}
	}
	for i := range l.Lines {
		l.line(&p, i, x, y)
	}
	f.levels(&p, y, l.Levels)
	return p.end()
}

func (l *Lines) line(p *pen, i int, xs, ys scale) {
	n := &l.Lines[i]
	var path strings.Builder
	pending := true // the next point begins a stretch
	for k := range n.X {
		v := item(n.Y, k)
		if math.IsNaN(v) {
			pending = true
			continue
		}
		x, y := xs.at(n.X[k]), ys.at(v)
		switch {
		case pending:
			fmt.Fprintf(&path, "M%.1f %.1f", x, y)
		case n.Step:
			fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
		default:
			fmt.Fprintf(&path, "L%.1f %.1f", x, y)
		}
		pending = false
	}
	fmt.Fprintf(p, `<path class="%s" d="%s">%s</path>`, class("s", n.colour(i)), path.String(),
		titled(n.Name))
	for k := range n.X {
		v, ref := item(n.Y, k), item(n.Reference, k)
		x := xs.at(n.X[k])
		title := fmt.Sprintf("%s, %s: %s", n.Name, l.X.value(n.X[k]), l.Y.value(v))
		lo, hi := item(n.Low, k), item(n.High, k)
		if !n.Step && !math.IsNaN(lo) && !math.IsNaN(hi) {
			p.errorBar(x, ys.at(lo), ys.at(hi))
		}
		if !n.Step && !math.IsNaN(v) {
			p.mark(n.colour(i), i, x, ys.at(v), title)
		}
		if !math.IsNaN(ref) {
			p.reference(x, ys.at(ref), fmt.Sprintf("%s: %s", l.Reference, l.Y.value(ref)))
		}
	}
}
