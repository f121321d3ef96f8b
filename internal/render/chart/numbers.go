package chart

import "math"

// The heights of a number above and below its base line, and of half a reference's mark.
const (
	numberAbove, numberBelow = 9.0, 2.0
	halfReference            = 5.0
)

// numberAt is the base line of the number of group i: beyond the end of the bar or its error bar,
// and clear of the levels and of the bar's own reference.
func (b *Bars) numberAt(r *Series, i int, s scale) float64 {
	v, lo, hi := item(r.Values, i), item(r.Low, i), item(r.High, i)
	var obstacles [][2]float64 // top and bottom
	for _, l := range b.Levels {
		obstacles = append(obstacles, [2]float64{s.at(l.At), s.at(l.At)})
	}
	if ref := item(r.Reference, i); !math.IsNaN(ref) {
		at := s.at(ref)
		obstacles = append(obstacles, [2]float64{at - halfReference, at + halfReference})
	}
	y := s.at(v) - 4
	if v < 0 {
		y = s.at(v) + numberAbove + 2
		if lo < v {
			y = s.at(lo) + numberAbove + 2
		}
	} else if hi > v {
		y = s.at(hi) - 4
	}
	for range obstacles { // to clear one may lead into another
		for _, o := range obstacles {
			if y-numberAbove > o[1] || y+numberBelow < o[0] {
				continue
			}
			if v < 0 {
				y = o[1] + numberAbove + 1
			} else {
				y = o[0] - numberBelow - 1
			}
		}
	}
	return y
}
