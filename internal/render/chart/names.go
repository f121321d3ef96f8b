package chart

import "math"

// box is a rectangle on the drawing that a name takes.
type box struct{ left, top, right, bottom float64 }

func (b box) touches(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// obstacles returns boxes that names must not cover: marks, error bars, and small steps of the
// lines between points.
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

// names writes the names of points beside them, where there is room, and never across a wall or a
// level. A name of a curve of few points, which matters most, may stand further off, with a line to
// its mark. A point without a name has only its mark's title.
func (c *Plane) names(p *pen, f frame, xs, ys scale) {
	taken := c.obstacles(xs, ys)
	for _, w := range c.Walls {
		x := xs.at(w.At)
		taken = append(taken, f.nameOfWall(xs, w), box{x - 4, f.top - 4, x + 4, f.bottom})
	}
	for _, l := range c.Levels {
		taken = append(taken, box{f.left, ys.at(l.At) - 2, f.right, ys.at(l.At) + 2})
	}
	// Curves with few points have the names that matter most.
	for i := len(c.Curves) - 1; i >= 0; i-- {
		for _, q := range c.Curves[i].Points {
			if !q.Named || math.IsNaN(q.X) || math.IsNaN(q.Y) {
				continue
			}
			x, y, w := xs.at(q.X), ys.at(q.Y), 0.9*width(q.What)
			b, ok := fitName(x, y, w, f, taken)
			if !ok && !c.Curves[i].Joined {
				if b, ok = away(x, y, w, f, taken); ok {
					p.line("grid", x, y, min(max(x, b.left), b.right), min(max(y, b.top), b.bottom))
				}
			}
			if ok {
				taken = append(taken, b)
				p.text("small", "start", b.left, b.top+9, q.What)
			}
		}
	}
}

// fitName finds room for a name of width w beside x, y.
func fitName(x, y, w float64, f frame, taken []box) (box, bool) {
	for _, at := range [][2]float64{
		{x + 9, y + 4}, {x + 6, y - 7}, {x + 6, y + 15}, {x - w/2, y - 10}, {x - w/2, y + 19},
		{x - 9 - w, y + 4}, {x - 6 - w, y - 7}, {x - 6 - w, y + 15},
		{x + 14, y - 16}, {x + 14, y + 25}, {x - 14 - w, y + 25},
	} {
		if b := nameAt(at[0], at[1], w); b.free(f, taken) {
			return b, true
		}
	}
	return box{}, false
}

// furthest is the distance from its mark at which a name may stand.
const furthest = 240

// away finds room on circles around x, y, the nearest first.
func away(x, y, w float64, f frame, taken []box) (box, bool) {
	const directions = 24
	for far := 20.0; far <= furthest; far += 10 {
		for i := range directions {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / directions)
			if b := nameAt(x+far*cos-w*(1-cos)/2, y+far*sin, w); b.free(f, taken) {
				return b, true
			}
		}
	}
	return box{}, false
}

// nameAt returns the room of a name of width w whose line begins at x, y.
func nameAt(x, y, w float64) box { return box{x, y - 9, x + w, y + 2} }

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
