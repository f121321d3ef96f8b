package chart

import (
	"fmt"
	"math"
	"slices"
)

// Boxes is a figure of distributions: for each group and series a box over the middle half of its
// values with a line at the median, and whiskers to the least and the greatest. Fewer than fewest
// values are points.
type Boxes struct {
	Title, Desc   string
	Groups        []string
	Sections      []Section
	Y             Axis
	Series        []Distribution
	Levels        []Level
	Width, Height int // 0 for the usual size
}

// Distribution is some values for each group.
type Distribution struct {
	Name   string
	Values [][]float64
	Colour int // its place in the palette, from 1; 0 for the series' place
}

// SVG implements Figure.
func (b Boxes) SVG() string {
	w, h := size(b.Width, b.Height)
	var p pen
	p.begin(w, h, b.Title, b.Desc)
	var entries []entry
	y := nothing()
	for i, s := range b.Series {
		entries = append(entries, entry{s.Name, swatch((&Series{Colour: s.Colour}).colour(i))})
		for _, v := range s.Values {
			y.add(v...)
		}
	}
	for _, l := range b.Levels {
		y.add(l.At)
	}
	entries = append(entries, levelEntries(b.Levels)...)
	f := frame{left: marginLeft, right: float64(w) - marginRight}
	p.text("name", "start", 12, 20, b.Title)
	f.top = 42 + legend(&p, f.left, 40, f.right, entries)
	if len(b.Sections) > 0 {
		f.top += sectionsHeight
	}
	group := (f.right - f.left) / float64(max(len(b.Groups), 1))
	f.bottom = float64(h) - groupNamesHeight(b.Groups, group)
	s := newScale(b.Y, y, f.bottom, f.top, 6)
	f.horizontal(&p, s, b.Y)
	at := func(i int) float64 { return f.left + group*float64(i) }
	f.groupNames(&p, b.Groups, group, func(i int) float64 { return at(i) + group/2 })
	f.sections(&p, b.Sections, len(b.Groups), at)
	box := min(group*0.8/float64(max(len(b.Series), 1)), 34)
	for i, name := range b.Groups {
		x := at(i) + (group-box*float64(len(b.Series)))/2
		for j, d := range b.Series {
			if i < len(d.Values) {
				b.box(&p, s, x+box/2, box*0.8, (&Series{Colour: d.Colour}).colour(j),
					name+", "+d.Name, d.Values[i])
			}
			x += box
		}
	}
	f.levels(&p, s, b.Levels)
	return p.end()
}

// fewest is the number of values that a box needs: with fewer its quartiles lie between values that
// nobody measured.
const fewest = 4

func (b *Boxes) box(
	p *pen, s scale, mid, width float64, colour int, name string, values []float64,
) {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return
	}
	if len(sorted) < fewest {
		for _, v := range sorted {
			p.mark(colour, 0, mid, s.at(v), fmt.Sprintf("%s: %s", name, b.Y.value(v)))
		}
		return
	}
	slices.Sort(sorted)
	lo, q1, q2, q3, hi := quantile(sorted, 0), quantile(sorted, 0.25), quantile(sorted,
		0.5), quantile(sorted, 0.75), quantile(sorted, 1)
	title := fmt.Sprintf("%s: median %s, half of %d between %s and %s, all between %s and %s", name,
		b.Y.value(q2), len(sorted),
		b.Y.value(q1), b.Y.value(q3), b.Y.value(lo), b.Y.value(hi))
	p.errorBar(mid, s.at(lo), s.at(hi))
	p.rect(class("f", colour), mid-width/2, s.at(q3), width, max(s.at(q1)-s.at(q3), 1), title)
	fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fh%.1f"/>`, mid-width/2, s.at(q2), width)
}

// quantile is the q-quantile, 0 to 1, of ascending values, with those between two interpolated.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[j]-sorted[i]))
}
