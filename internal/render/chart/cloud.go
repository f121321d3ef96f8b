package chart

import (
	"fmt"
	"math"
	"slices"
)

// Cloud is a figure of many points whose colours show a third number, in warmth classes of as many
// points.
type Cloud struct {
	Title, Desc   string
	X, Y, Warmth  Axis
	Points        []Warm
	Width, Height int // 0 for the usual size
}

// Warm is a point. Key, where it is not negative, is its attribute data-key, by which a page's
// script finds it.
type Warm struct {
	What         string
	X, Y, Warmth float64
	Key          int
}

// warmths is the number of colours.
const warmths = 5

// SVG implements Figure.
func (c Cloud) SVG() string {
	w, h := size(c.Width, c.Height)
	var p pen
	p.begin(w, h, c.Title, c.Desc)
	p.text("name", "start", 12, 20, c.Title)
	var warm []float64
	x, y := nothing(), nothing()
	for _, q := range c.Points {
		x.add(q.X)
		y.add(q.Y)
		warm = append(warm, q.Warmth)
	}
	bounds := classes(warm)
	var entries []entry
	for i := range warmths {
		if len(c.Points) > 0 && bounds[i+1] > bounds[i] {
			name := fmt.Sprintf("%s to %s", number(bounds[i]), c.Warmth.value(bounds[i+1]))
			entries = append(entries, entry{name, func(p *pen, x, y float64) {
				p.rect(fmt.Sprint("w", i), x-5, y-5, 10, 10, "")
			}})
		}
	}
	f := frame{left: marginLeft, right: float64(w) - marginRight, bottom: float64(h) - 46}
	f.top = 36 + legend(&p, f.left, 40, f.right, entries)
	xs, ys := newScale(c.X, x, f.left, f.right, 10), newScale(c.Y, y, f.bottom, f.top, 6)
	f.horizontal(&p, ys, c.Y)
	f.vertical(&p, xs, c.X)
	for _, q := range c.Points {
		if math.IsNaN(q.X) || math.IsNaN(q.Y) {
			continue
		}
		key := ""
		if q.Key >= 0 {
			key = fmt.Sprintf(` data-key="%d"`, q.Key)
		}
		class := 0
		for class < warmths-1 && q.Warmth >= bounds[class+1] {
			class++
		}
		fmt.Fprintf(&p, `<circle class="w%d"%s cx="%.1f" cy="%.1f" r="4">%s</circle>`, class, key,
			xs.at(q.X), ys.at(q.Y), titled(fmt.Sprintf("%s: %s, %s, %s", q.What, c.X.value(q.X),
				c.Y.value(q.Y), c.Warmth.value(q.Warmth))))
	}
	return p.end()
}

// classes returns the bounds of classes of as many values.
func classes(values []float64) (bounds [warmths + 1]float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for i := range bounds {
		bounds[i] = quantile(sorted, float64(i)/warmths)
	}
	return bounds
}
