package chart

import (
	"fmt"
	"math"
	"strings"
)

// band fills the range between the ends of a step line's values, in the line's colour.
func (l *Lines) band(p *pen, i int, xs, ys scale) {
	n := &l.Lines[i]
	var path strings.Builder
	for k := 0; k < len(n.X); {
		last := k
		for last < len(n.X) && !math.IsNaN(item(n.Low, last)) && !math.IsNaN(item(n.High, last)) {
			last++
		}
		if last-k > 1 {
			stretch(&path, n, k, last, xs, ys)
		}
		k = max(last, k+1)
	}
	if path.Len() > 0 {
		fmt.Fprintf(p, `<path class="%s" fill-opacity="0.25" d="%s"/>`, class("f", n.colour(i)),
			path.String())
	}
}

// stretch goes along the upper ends of points from..to-1, and back along the lower ones.
func stretch(path *strings.Builder, n *Line, from, to int, xs, ys scale) {
	fmt.Fprintf(path, "M%.1f %.1f", xs.at(n.X[from]), ys.at(n.High[from]))
	for k := from + 1; k < to; k++ {
		fmt.Fprintf(path, "H%.1fV%.1f", xs.at(n.X[k]), ys.at(n.High[k]))
	}
	fmt.Fprintf(path, "V%.1f", ys.at(n.Low[to-1]))
	for k := to - 2; k >= from; k-- {
		fmt.Fprintf(path, "V%.1fH%.1f", ys.at(n.Low[k]), xs.at(n.X[k]))
	}
	path.WriteString("Z")
}
