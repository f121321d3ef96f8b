package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Violins is a figure of distributions lying on their sides: for each name a shape that is the
// wider the more of its values are there, with a mark at the median.
type Violins struct {
	Title, Desc   string
	X             Axis
	Names         []string
	Values        [][]float64 // by name; NaN for none
	Width, Height int         // 0 for the usual size
}

const (
	violinHeight = 34
	violinSlices = 60
)

// SVG implements Figure.
func (v Violins) SVG() string {
	w, h := size(v.Width, max(v.Height, 84+violinHeight*len(v.Names)))
	var p pen
	p.begin(w, h, v.Title, v.Desc)
	p.text("name", "start", 12, 20, v.Title)
	names, x := 0.0, nothing()
	for i, n := range v.Names {
		names = max(names, width(n))
		x.add(v.Values[i]...)
	}
	f := frame{left: min(24+1.25*names, float64(w)/3), right: float64(w) - marginRight, top: 34,
		bottom: float64(h) - 46}
	s := newScale(v.X, x, f.left, f.right, 10)
	f.vertical(&p, s, v.X)
	row := (f.bottom - f.top) / float64(max(len(v.Names), 1))
	for i, n := range v.Names {
		mid := f.top + row*(float64(i)+0.5)
		p.text("", "end", f.left-8, mid+4, n)
		v.violin(&p, s, i, mid, row*0.45)
	}
	return p.end()
}

// violin draws the shape of one name's values. Half is half its greatest height.
func (v *Violins) violin(p *pen, s scale, i int, mid, half float64) {
	sorted := slices.DeleteFunc(slices.Clone(v.Values[i]), math.IsNaN)
	if len(sorted) == 0 {
		return
	}
	slices.Sort(sorted)
	low, high := sorted[0], sorted[len(sorted)-1]
	step := (high - low) / violinSlices
	counts, most := make([]float64, violinSlices), 0.0
	for _, x := range sorted {
		if step > 0 {
			counts[min(int((x-low)/step), violinSlices-1)]++
		}
	}
	for k := range counts { // the root keeps tails visible
		counts[k] = math.Sqrt(counts[k])
		most = max(most, counts[k])
	}
	title := fmt.Sprintf("%s: median %s, all %d between %s and %s", v.Names[i],
		v.X.value(quantile(sorted, 0.5)), len(sorted), v.X.value(low), v.X.value(high))
	if most > 0 {
		var there, back strings.Builder
		fmt.Fprintf(&there, "M%.1f %.1f", s.at(low), mid)
		for k, c := range counts {
			at, wide := s.at(low+(float64(k)+0.5)*step), max(half*c/most, 0.5)
			fmt.Fprintf(&there, "L%.1f %.1f", at, mid-wide)
			k = violinSlices - 1 - k
			at, wide = s.at(low+(float64(k)+0.5)*step), max(half*counts[k]/most, 0.5)
			fmt.Fprintf(&back, "L%.1f %.1f", at, mid+wide)
		}
		fmt.Fprintf(p, `<path class="f0" d="%sL%.1f %.1f%sz">%s</path>`, there.String(),
			s.at(high), mid, back.String(), titled(title))
	}
	p.reference(s.at(quantile(sorted, 0.5)), mid, title)
}
