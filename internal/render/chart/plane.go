package chart

import (
	"fmt"
	"math"
	"strings"
)

// Plane is a figure of points that have a place by two measured numbers, such as slowdown and
// energy.
type Plane struct {
	Title, Desc   string
	X, Y          Axis
	Curves        []Curve
	Walls         []Wall
	Levels        []Level
	Width, Height int // 0 for the usual size
}

// Curve is a series of points, joined by a line when Joined says so.
type Curve struct {
	Name   string
	Points []Point
	Joined bool
}

// Point is a point with the ends of its error bars, NaN for none, and what it is. A mark that says
// Name has it beside it.
type Point struct {
	What           string
	X, XLow, XHigh float64
	Y, YLow, YHigh float64
	Named          bool
}

// Wall is a vertical line through a figure, such as a budget of what its x axis shows.
type Wall struct {
	Name string
	At   float64
}

// SVG implements Figure.
func (c Plane) SVG() string {
	w, h := size(c.Width, c.Height)
	var p pen
	p.begin(w, h, c.Title, c.Desc)
	var entries []entry
	xs, ys := nothing(), nothing()
	for i := range c.Curves {
		n := &c.Curves[i]
		entries = append(entries, entry{n.Name, func(p *pen, x, y float64) {
			if n.Joined {
				p.line(class("s", i), x-8, y, x+6, y)
			}
			p.mark(i, i, x-1, y, "")
		}})
		for _, q := range n.Points {
			if !math.IsNaN(q.X) && !math.IsNaN(q.Y) {
				xs.add(q.X, q.XLow, q.XHigh)
				ys.add(q.Y, q.YLow, q.YHigh)
			}
		}
	}
	for _, v := range c.Walls {
		xs.add(v.At)
	}
	for _, v := range c.Levels {
		ys.add(v.At)
	}
	f := frame{left: marginLeft, right: float64(w) - marginRight, bottom: float64(h) - 46}
	p.text("name", "start", 12, 20, c.Title)
	f.top = 52 + legend(&p, f.left, 40, f.right, entries)
	x := newScale(c.X, xs, f.left, f.right, 10)
	y := newScale(c.Y, ys, f.bottom, f.top, 6)
	f.horizontal(&p, y, c.Y)
	f.vertical(&p, x, c.X)
	f.walls(&p, x, c.Walls)
	f.levels(&p, y, c.Levels)
	for i := range c.Curves {
		c.curve(&p, i, x, y)
	}
	c.names(&p, f, x, y)
	return p.end()
}

// walls are drawn behind all, their names above the figure, in as many lines as keep them apart.
func (f frame) walls(p *pen, s scale, walls []Wall) {
	end := math.Inf(-1)
	for _, l := range walls {
		x := s.at(l.At)
		p.line("level", x, f.top-4, x, f.bottom)
		if at := f.nameOfWall(s, l); at.left > end {
			p.text("small", "middle", (at.left+at.right)/2, f.top-8, l.Name)
			end = at.right
		}
	}
}

// nameOfWall is where a wall's name stands: above it, and within the figure.
func (f frame) nameOfWall(s scale, l Wall) box {
	half := 0.42 * width(l.Name)
	mid := min(max(s.at(l.At), f.left+half), f.right+marginRight-4-half)
	return box{mid - half, f.top - aboveFrame, mid + half, f.top - 4}
}

func (c *Plane) curve(p *pen, i int, xs, ys scale) {
	n := &c.Curves[i]
	if n.Joined {
		var path strings.Builder
		for _, q := range n.Points {
			if math.IsNaN(q.X) || math.IsNaN(q.Y) {
				continue
			}
			step := "L"
			if path.Len() == 0 {
				step = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", step, xs.at(q.X), ys.at(q.Y))
		}
		fmt.Fprintf(p, `<path class="%s" d="%s"/>`, class("s", i), path.String())
	}
	for _, q := range n.Points {
		if math.IsNaN(q.X) || math.IsNaN(q.Y) {
			continue
		}
		x, y := xs.at(q.X), ys.at(q.Y)
		if !math.IsNaN(q.YLow) && !math.IsNaN(q.YHigh) {
			p.errorBar(x, ys.at(q.YLow), ys.at(q.YHigh))
		}
		if !math.IsNaN(q.XLow) && !math.IsNaN(q.XHigh) {
			p.errorBarAcross(y, xs.at(q.XLow), xs.at(q.XHigh))
		}
		p.mark(i, i, x, y, fmt.Sprintf("%s: %s, %s", q.What, c.X.value(q.X), c.Y.value(q.Y)))
	}
}

// errorBarAcross is a whisker from lo to hi at y, both on the drawing.
func (p *pen) errorBarAcross(y, lo, hi float64) {
	fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fv6m0 -3H%.1fm0 -3v6"/>`, lo, y-3, hi)
}
