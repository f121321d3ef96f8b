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

// SVG implements Figure. A mark beyond the axis's range stands at its edge, and its title has the
// number.
func (r Rows) SVG() string {
	w, _ := size(r.Width, 0)
	longest := 0.0
	for _, n := range r.Names {
		longest = max(longest, width(n))
	}
	f := frame{left: 28 + longest, right: float64(w) - 30}
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
	f.top = y - 4 + legend(&head, f.left, y, f.right, entries)
	f.bottom = f.top + float64(row*len(r.Names))
	var p pen
	p.begin(w, int(f.bottom)+44, r.Title, r.Desc)
	p.WriteString(head.String())
	s := newScale(r.X, x, f.left, f.right, 10)
	for _, v := range s.ticks() {
		c, t := "grid", s.tick(v)
		if v == 0 {
			c = "zero"
		} else if v > 0 && r.Signed {
			t = "+" + t
		}
		p.line(c, s.at(v), f.top, s.at(v), f.bottom)
		p.text("soft", "middle", s.at(v), f.bottom+16, t)
	}
	p.text("soft", "middle", (f.left+f.right)/2, f.bottom+34, r.X.title())
	for k, name := range r.Names {
		y := f.top + row*float64(k) + row/2
		p.text("", "end", f.left-12, y+4, name)
		for i := len(r.Series) - 1; i >= 0; i-- { // the first on top
			if v := item(r.Series[i].Values, k); !math.IsNaN(v) {
				p.mark(r.Series[i].colour(i), i, s.at(v), y,
					fmt.Sprintf("%s, %s: %s", name, r.Series[i].Name, r.X.value(v)))
			}
		}
	}
	return p.end()
}
