package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Stacks is a figure of shares over a common axis, each on top of the one before. Share i holds
// from Begin + i Step to the next.
type Stacks struct {
	Title, Desc   string
	X, Y          Axis
	Begin, Step   float64
	Layers        []Layer
	Width, Height int // 0 for the usual size
}

// Layer is one share over time. All have the same number of values; NaN is none.
type Layer struct {
	Name   string
	Values []float64
}

// SVG implements Figure.
func (s Stacks) SVG() string {
	w, h := size(s.Width, s.Height)
	var p pen
	p.begin(w, h, s.Title, s.Desc)
	var entries []entry
	n := 0
	for i, l := range s.Layers {
		entries = append(entries, entry{l.Name, swatch(i % colours)})
		n = max(n, len(l.Values))
	}
	below, tops := make([]float64, n), [][]float64{}
	xs, ys := nothing(), nothing()
	xs.add(s.Begin, s.Begin+float64(n)*s.Step)
	for _, l := range s.Layers {
		top := slices.Clone(below)
		for k := range top {
			if v := item(l.Values, k); !math.IsNaN(v) {
				top[k] += v
			}
		}
		tops, below = append(tops, top), top
		ys.add(top...)
	}
	f := frame{left: marginLeft, right: float64(w) - marginRight, bottom: float64(h) - 46}
	p.text("name", "start", 12, 20, s.Title)
	f.top = 36 + legend(&p, f.left, 40, f.right, entries)
	x := newScale(s.X, xs, f.left, f.right, 10)
	y := newScale(s.Y, ys, f.bottom, f.top, 6)
	f.horizontal(&p, y, s.Y)
	f.vertical(&p, x, s.X)
	below = make([]float64, n)
	for i, top := range tops {
		s.layer(&p, i, below, top, x, y)
		below = top
	}
	return p.end()
}

// layer draws the area between two lines of steps: along the upper one, and back along the lower.
func (s *Stacks) layer(p *pen, i int, below, top []float64, x, y scale) {
	if len(top) == 0 {
		return
	}
	var path strings.Builder
	at := func(k int) float64 { return x.at(s.Begin + float64(k)*s.Step) }
	fmt.Fprintf(&path, "M%.1f %.1f", at(0), y.at(top[0]))
	for k := range top {
		fmt.Fprintf(&path, "V%.1fH%.1f", y.at(top[k]), at(k+1))
	}
	for k := len(below) - 1; k >= 0; k-- {
		fmt.Fprintf(&path, "V%.1fH%.1f", y.at(below[k]), at(k))
	}
	fmt.Fprintf(p, `<path class="%s" d="%sz">%s</path>`, class("f", i%colours), path.String(),
		titled(s.Layers[i].Name))
}
