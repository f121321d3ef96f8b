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
		if left := x - 0.42*width(l.Name); left > end {
			p.text("small", "middle", x, f.top-8, l.Name)
			end = x + 0.42*width(l.Name)
		}
	}
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

// box is a rectangle on the drawing that a name takes.
type box struct{ left, top, right, bottom float64 }

func (b box) touches(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// obstacles are what names must not cover: marks, error bars, and the lines between points in small
// steps.
func (c *Plane) obstacles(xs, ys scale) (taken []box) {
	for i := range c.Curves {
		var lastX, lastY float64
		first := true
		for _, q := range c.Curves[i].Points {
			if math.IsNaN(q.X) || math.IsNaN(q.Y) {
				continue
			}
			x, y := xs.at(q.X), ys.at(q.Y)
			taken = append(taken, box{x - 5, y - 5, x + 5, y + 5})
			if !math.IsNaN(q.XLow) && !math.IsNaN(q.XHigh) {
				taken = append(taken, box{xs.at(q.XLow), y - 3, xs.at(q.XHigh), y + 3})
			}
			if !math.IsNaN(q.YLow) && !math.IsNaN(q.YHigh) {
				taken = append(taken, box{x - 3, ys.at(q.YHigh), x + 3, ys.at(q.YLow)})
			}
			if c.Curves[i].Joined && !first {
				const step = 5
				n := max(1, math.Ceil(math.Hypot(x-lastX, y-lastY)/step))
				for k := 0.0; k <= n; k++ {
					px, py := lastX+(x-lastX)*k/n, lastY+(y-lastY)*k/n
					taken = append(taken, box{px - 1, py - 1, px + 1, py + 1})
				}
			}
			lastX, lastY, first = x, y, false
		}
	}
	return taken
}

// names writes the names of points beside them, where there is room; across a wall only where no
// other place has room. A point without a name has only its mark's title.
func (c *Plane) names(p *pen, f frame, xs, ys scale) {
	taken := c.obstacles(xs, ys)
	var walls []box
	for _, w := range c.Walls {
		x := xs.at(w.At)
		walls = append(walls, box{x - 1, f.top, x + 1, f.bottom})
	}
	// Curves with few points have the names that matter most.
	for i := len(c.Curves) - 1; i >= 0; i-- {
		for _, q := range c.Curves[i].Points {
			if !q.Named || math.IsNaN(q.X) || math.IsNaN(q.Y) {
				continue
			}
			b, ok := place(xs.at(q.X), ys.at(q.Y), 0.9*width(q.What), f, append(walls, taken...))
			if !ok {
				b, ok = place(xs.at(q.X), ys.at(q.Y), 0.9*width(q.What), f, taken)
			}
			if ok {
				taken = append(taken, b)
				p.text("small", "start", b.left, b.top+9, q.What)
			}
		}
	}
}

// place finds room for a name of width w beside x, y.
func place(x, y, w float64, f frame, taken []box) (box, bool) {
	for _, at := range [][2]float64{
		{x + 9, y + 4}, {x + 6, y - 7}, {x + 6, y + 15}, {x - w/2, y - 10}, {x - w/2, y + 19},
		{x - 9 - w, y + 4}, {x - 6 - w, y - 7}, {x - 6 - w, y + 15},
		{x + 14, y - 16}, {x + 14, y + 25}, {x - 14 - w, y + 25},
	} {
		if b := (box{at[0], at[1] - 9, at[0] + w, at[1] + 2}); b.free(f, taken) {
			return b, true
		}
	}
	return box{}, false
}

// free reports whether the box lies within the figure and touches nothing.
func (b box) free(f frame, taken []box) bool {
	if b.left < f.left || b.right > f.right+marginRight || b.top < f.top || b.bottom > f.bottom {
		return false
	}
	for _, o := range taken {
		if b.touches(o) {
			return false
		}
	}
	return true
}
