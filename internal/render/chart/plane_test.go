package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func init() {
	q := func(what string, x, y, e float64) Point {
		return Point{What: what, X: x, Y: y, XLow: x - e, XHigh: x + e, YLow: y - 2*e,
			YHigh: y + 2*e, Named: true}
	}
	samples["plane"] = Plane{
		Title: "Slowdown & energy", Desc: "Three ways to run", X: Axis{Label: "slowdown", Unit: "%",
			Zero: true}, Y: Axis{Label: "energy", Unit: "%"},
		Curves: []Curve{
			{Name: "always <one> frequency", Joined: true, Points: []Point{
				{What: "4GHz", XLow: nan, XHigh: nan, YLow: nan, YHigh: nan, Named: true},
				q("3GHz", 3, -10, 0.4), {What: "no energy", X: 5, Y: nan}, q("2GHz", 8, -18, 0.8),
				{What: "1GHz", X: 21, Y: -21, XLow: nan, XHigh: nan, YLow: nan, YHigh: nan},
			}},
			{Name: "ebb", Points: []Point{q("ebb 5%", 4.6, -16, 0.2)}},
		},
		Walls: []Wall{{"budget 5%", 5}, {"budget 5.1%", 5.1},
			{"budget 10%", 10}}, Levels: []Level{{"", 0}},
	}
}

// TestNamesKeepApart: names of many points on a curve cover neither one another nor marks; those
// without room are left out.
func TestNamesKeepApart(t *testing.T) {
	for _, n := range []int{2, 25, 400} {
		p := Plane{Curves: []Curve{{Name: "c", Joined: true}}}
		for i := range n {
			x := float64(i)
			p.Curves[0].Points = append(p.Curves[0].Points, Point{
				What: fmt.Sprintf("point %d", i), Named: true,
				X: x, Y: math.Sqrt(x), XLow: nan, XHigh: nan, YLow: nan, YHigh: nan,
			})
		}
		var names []box
		svg := p.SVG()
		for part := range strings.SplitSeq(svg, `<text class="small"`) {
			var x, y float64
			if k, _ := fmt.Sscanf(part, ` x="%f" y="%f"`, &x, &y); k < 2 {
				continue
			}
			_, text, _ := strings.Cut(part, ">")
			text, _, _ = strings.Cut(text, "<")
			b := box{x, y - 8, x + 0.8*width(text), y + 1}
			for _, o := range names {
				if b.touches(o) {
					t.Fatalf("%d points: %q covers another name", n, text)
				}
			}
			names = append(names, b)
		}
		if len(names) == 0 || n <= 25 && len(names) < min(n, 10) {
			t.Errorf("%d of %d points have a name", len(names), n)
		}
	}
}

// TestNamesBesideWalls: no name of a random drawing stands across a wall or a level, covers a mark
// or another name, or leaves the figure; and the curve with few points has its names.
func TestNamesBesideWalls(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		p := Plane{X: Axis{Min: 0, Max: 30}, Y: Axis{Min: -40, Max: 10},
			Curves: []Curve{{Name: "fixed", Joined: true}, {Name: "ebb"}},
			Levels: []Level{{At: 0}}}
		for i := range 12 {
			p.Curves[0].Points = append(p.Curves[0].Points, Point{What: fmt.Sprint(i, "GHz"),
				Named: true, X: float64(2 * i), Y: -3 * float64(i), XLow: nan, XHigh: nan,
				YLow: nan, YHigh: nan})
		}
		for _, budget := range []float64{5, 10} {
			at := budget - r.Float64()
			p.Walls = append(p.Walls, Wall{"budget", budget})
			p.Curves[1].Points = append(p.Curves[1].Points, Point{
				What: fmt.Sprintf("ebb %.0f%%", budget), Named: true, X: at, XLow: at - r.Float64(),
				XHigh: at + r.Float64(), Y: -1.5 * at, YLow: -1.5*at - 2, YHigh: -1.5*at + 2})
		}
		w, h := size(0, 0)
		f := frame{left: marginLeft, right: float64(w) - marginRight, top: 60,
			bottom: float64(h) - 46}
		xs := newScale(p.X, nothing(), f.left, f.right, 10)
		ys := newScale(p.Y, nothing(), f.bottom, f.top, 6)
		var drawn pen
		p.names(&drawn, f, xs, ys)
		taken := p.obstacles(xs, ys)
		for _, wall := range p.Walls {
			taken = append(taken, box{xs.at(wall.At), f.top, xs.at(wall.At), f.bottom})
		}
		ours := 0
		for part := range strings.SplitSeq(drawn.String(), `<text class="small"`) {
			var x, y float64
			if k, _ := fmt.Sscanf(part, ` x="%f" y="%f"`, &x, &y); k < 2 {
				continue
			}
			_, text, _ := strings.Cut(part, ">")
			text, _, _ = strings.Cut(text, "<")
			b := box{x + 0.1, y - 8.9, x + 0.8*width(text), y + 1}
			if !b.free(f, taken) || b.top < ys.at(0) && ys.at(0) < b.bottom {
				t.Fatalf("%q at %+v covers something", text, b)
			}
			taken = append(taken, b)
			if strings.HasPrefix(text, "ebb") {
				ours++
			}
		}
		if ours != 2 {
			t.Fatalf("%d of ebb's points have a name", ours)
		}
	}
}

// TestWallAtTheEdge: the name of a wall at the figure's edge stands within the figure.
func TestWallAtTheEdge(t *testing.T) {
	f := frame{left: marginLeft, right: defaultWidth - marginRight, top: 60, bottom: 300}
	s := newScale(Axis{Min: 0, Max: 5}, extent{}, f.left, f.right, 5)
	for _, at := range []float64{0, 2.5, 5} {
		b := f.nameOfWall(s, Wall{Name: "a budget of 5 %", At: at})
		if x := s.at(at); b.left < f.left-1 || b.right > defaultWidth || b.left > x+1 ||
			b.right < x-1 {
			t.Errorf("the name of a wall at %v stands at %+v", at, b)
		}
	}
}
