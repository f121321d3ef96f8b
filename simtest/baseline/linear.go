package baseline

import "math"

// plane is a linear function of two variables: a*x + b*y + c.
type plane struct{ a, b, c float64 }

func (p plane) at(x, y float64) float64 { return p.a*x + p.b*y + p.c }

// point is one observation of such a function.
type point struct{ x, y, value float64 }

// fit returns the plane of least squares through the points. ok is false when they do not determine
// one.
func fit(points []point) (p plane, ok bool) {
	// Normal equations of the centred points: two unknowns, and the mean gives the third.
	n := float64(len(points))
	if n < 3 {
		return plane{}, false
	}
	var mx, my, mv float64
	for _, q := range points {
		mx, my, mv = mx+q.x/n, my+q.y/n, mv+q.value/n
	}
	var xx, xy, yy, xv, yv float64
	for _, q := range points {
		x, y, v := q.x-mx, q.y-my, q.value-mv
		xx, xy, yy, xv, yv = xx+x*x, xy+x*y, yy+y*y, xv+x*v, yv+y*v
	}
	det := xx*yy - xy*xy
	if !(det > 1e-12*xx*yy) || math.IsInf(det, 0) {
		return plane{}, false
	}
	p.a, p.b = (xv*yy-yv*xy)/det, (yv*xx-xv*xy)/det
	p.c = mv - p.a*mx - p.b*my
	return p, true
}
