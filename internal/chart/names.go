package chart

import "math"

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

// names writes the names of points beside them, where there is room; across a wall or a level only
// where no other place has room. A point without a name has only its mark's title.
func (c *Plane) names(p *pen, f frame, xs, ys scale) {
	taken := c.obstacles(xs, ys)
	var walls []box
	for _, w := range c.Walls {
		x := xs.at(w.At)
		taken = append(taken, f.nameOfWall(xs, w))
		walls = append(walls, box{x - 1, f.top, x + 1, f.bottom})
	}
	for _, l := range c.Levels {
		walls = append(walls, box{f.left, ys.at(l.At) - 1, f.right, ys.at(l.At) + 1})
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

// aboveFrame is the height above the frame in which walls have their names, and points at the top
// theirs.
const aboveFrame = 18

// free reports whether the box lies within the figure and touches nothing.
func (b box) free(f frame, taken []box) bool {
	if b.left < f.left || b.right > f.right+marginRight || b.top < f.top-aboveFrame ||
		b.bottom > f.bottom {
		return false
	}
	for _, o := range taken {
		if b.touches(o) {
			return false
		}
	}
	return true
}
