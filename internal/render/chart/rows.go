package chart

import (
	"fmt"
	"math"
)

// Rows is a figure with a row for each name and in it a mark of each series, along a common
// horizontal axis.
type Rows struct {
	Title, Desc string // the title is not drawn when empty
	Names       []string
	X           Axis
	// Signed writes a plus before numbers above zero at the axis.
	Signed bool
	Series []Series
	Width  int // 0 for the usual size
}

// row is the height of a row.
const row = 22

// SVG implements Figure. A mark beyond the axis's range stands outside the figure's edge, with its
// number and an arrow.
func (r Rows) SVG() string {
	w, _ := size(r.Width, 0)
	longest := 0.0
	for _, n := range r.Names {
		longest = max(longest, width(n))
	}
	before, after := r.lanes()
	f := frame{left: 28 + longest + before, right: float64(w) - 30 - after}
	var entries []entry
	x := nothing()
	for i := range r.Series {
		s := &r.Series[i]
		entries = append(entries, entry{s.Name,
			func(p *pen, x, y float64) { p.mark(s.colour(i), i, x, y, "") }})
		x.add(s.Values...)
	}
	var head pen
	y := 20.0
	if r.Title != "" {
		head.text("name", "start", 12, y, r.Title)
		y += 22
	}
	f.top = y - 4 + legend(&head, 28+longest, y, float64(w)-30, entries)
	f.bottom = f.top + float64(row*len(r.Names))
	var p pen
	p.begin(w, int(f.bottom)+44, r.Title, r.Desc)
	p.WriteString(head.String())
	s := newScale(r.X, x, f.left, f.right, 10)
	for _, v := range s.ticks() {
		c := "grid"
		if v == 0 {
			c = "zero"
		}
		p.line(c, s.at(v), f.top, s.at(v), f.bottom)
		p.text("soft", "middle", s.at(v), f.bottom+16, r.signed(v, s.tick(v)))
	}
	p.text("soft", "middle", (f.left+f.right)/2, f.bottom+34, r.X.title())
	for k, name := range r.Names {
		y := f.top + row*float64(k) + row/2
		p.text("", "end", 16+longest, y+4, name)
		r.row(&p, k, f, s, y)
	}
	return p.end()
}

// row draws the marks of row k.
func (r *Rows) row(p *pen, k int, f frame, s scale, y float64) {
	for i := len(r.Series) - 1; i >= 0; i-- { // the first on top
		if v := item(r.Series[i].Values, k); !math.IsNaN(v) && r.beyond(v) == 0 {
			p.mark(r.Series[i].colour(i), i, s.at(v), y, r.mark(i, k))
		}
	}
	left, right := f.left, f.right
	for i := range r.Series {
		v := item(r.Series[i].Values, k)
		switch r.beyond(v) {
		case -1:
			text := "◂ " + r.signed(v, number(v))
			p.mark(r.Series[i].colour(i), i, left-beyondMark/2, y, r.mark(i, k))
			p.text("small", "end", left-beyondMark, y+4, text)
			left -= beyondWidth(text)
		case 1:
			text := r.signed(v, number(v)) + " ▸"
			p.mark(r.Series[i].colour(i), i, right+beyondMark/2, y, r.mark(i, k))
			p.text("small", "start", right+beyondMark, y+4, text)
			right += beyondWidth(text)
		}
	}
}

// mark returns the title of series i's mark in row k.
func (r *Rows) mark(i, k int) string {
	return fmt.Sprintf("%s, %s: %s", r.Names[k], r.Series[i].Name,
		r.X.value(r.Series[i].Values[k]))
}

// signed returns a number's text with a plus, if there is to be one.
func (r *Rows) signed(v float64, text string) string {
	if v > 0 && r.Signed {
		return "+" + text
	}
	return text
}

// beyond is -1 for a value below the axis's range, 1 for one above, and 0 otherwise.
func (r *Rows) beyond(v float64) int {
	switch {
	case r.X.Min == r.X.Max || math.IsNaN(v):
		return 0
	case v < r.X.Min:
		return -1
	case v > r.X.Max:
		return 1
	}
	return 0
}

// beyondMark is the width of a mark that stands outside.
const beyondMark = 16

// beyondWidth returns the width of such a mark with its number.
func beyondWidth(text string) float64 { return beyondMark + width(text) + 2 }

// lanes returns the widths that marks outside need on both sides.
func (r *Rows) lanes() (before, after float64) {
	for k := range r.Names {
		left, right := 0.0, 0.0
		for i := range r.Series {
			v := item(r.Series[i].Values, k)
			wide := beyondWidth(r.signed(v, number(v)) + " ▸")
			switch r.beyond(v) {
			case -1:
				left += wide
			case 1:
				right += wide
			}
		}
		before, after = max(before, left), max(after, right)
	}
	return before, after
}
