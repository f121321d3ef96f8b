package chart

import (
	"fmt"
	"math"
)

// Sizes of a figure that does not say its own, in its own units.
const (
	defaultWidth  = 960
	defaultHeight = 330
	marginLeft    = 62
	marginRight   = 16
)

// Bars is a figure of groups of bars, one of each series.
type Bars struct {
	Title, Desc   string
	Groups        []string
	Sections      []Section
	Y             Axis
	Series        []Series
	Reference     string // what the series' References are
	Levels        []Level
	Width, Height int // 0 for the usual size
}

// Series is a value for each group.
type Series struct {
	Name   string
	Values []float64
	// Low and High are the ends of error bars, Reference values from elsewhere to stand beside; nil
	// for none.
	Low, High, Reference []float64
	Colour               int // its place in the palette, from 1; 0 for the series' place
}

func (s *Series) colour(i int) int {
	if s.Colour > 0 {
		return (s.Colour - 1) % colours
	}
	return i % colours
}

// item is element i of values, NaN when there is none.
func item(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return math.NaN()
}

// SVG implements Figure.
func (b Bars) SVG() string {
	w, h := size(b.Width, b.Height)
	var p pen
	p.begin(w, h, b.Title, b.Desc)
	var entries []entry
	referenced := false
	y := nothing()
	for i := range b.Series {
		s := &b.Series[i]
		entries = append(entries, entry{s.Name, swatch(s.colour(i))})
		y.add(s.Values...)
		y.add(s.Low...)
		y.add(s.High...)
		y.add(s.Reference...)
		for _, v := range s.Reference {
			referenced = referenced || !math.IsNaN(v)
		}
	}
	for _, l := range b.Levels {
		y.add(l.At)
	}
	entries = append(entries, levelEntries(b.Levels)...)
	if referenced {
		entries = append(entries, entry{b.Reference,
			func(p *pen, x, y float64) { p.reference(x, y, "") }})
	}
	f := frame{left: marginLeft, right: float64(w) - marginRight}
	p.text("name", "start", 12, 20, b.Title)
	f.top = 42 + legend(&p, f.left, 40, f.right, entries)
	if len(b.Sections) > 0 {
		f.top += sectionsHeight
	}
	group := (f.right - f.left) / float64(max(len(b.Groups), 1))
	below := f
	below.bottom = float64(h) - groupNamesHeight(b.Groups, group)
	f.bottom = below.bottom
	if y.lo < 0 {
		f.bottom -= numberAbove + numberBelow // a number below a bar that reaches the bottom
	}
	axis := b.Y
	axis.Zero = true
	s := newScale(axis, y, f.bottom, f.top, 6)
	f.horizontal(&p, s, axis)
	at := func(i int) float64 { return f.left + group*float64(i) }
	below.groupNames(&p, b.Groups, group, func(i int) float64 { return at(i) + group/2 })
	f.sections(&p, b.Sections, len(b.Groups), at)
	var over pen // the levels
	b.bars(&p, &over, s, group, at)
	f.levels(&p, s, b.Levels)
	p.WriteString(over.String())
	return p.end()
}

func (b *Bars) bars(p, over *pen, s scale, group float64, at func(i int) float64) {
	bar := min(group*0.84/float64(max(len(b.Series), 1)), 46)
	zero := s.at(0)
	for i, name := range b.Groups {
		x := at(i) + (group-bar*float64(len(b.Series)))/2
		for j := range b.Series {
			r := &b.Series[j]
			v, ref := item(r.Values, i), item(r.Reference, i)
			title := fmt.Sprintf("%s, %s: %s", name, r.Name, b.Y.value(v))
			if !math.IsNaN(ref) {
				title += fmt.Sprintf("; %s: %s", b.Reference, b.Y.value(ref))
			}
			mid := x + bar/2
			if !math.IsNaN(v) {
				y := s.at(v)
				p.rect(class("f", r.colour(j)), x+0.5, min(y, zero), bar-1, math.Abs(y-zero), title)
				if bar >= wideBar {
					over.text("small", "middle", mid, b.numberAt(r, i, s), number(v))
				} else if v > s.hi { // the number says what the bar cannot
					fmt.Fprintf(
						over,
						`<text class="inside" x="%.1f" y="%.1f" text-anchor="end" transform="rotate(-90 %.1f %.1f)">%s</text>`, mid+4, y+5, mid+4, y+5, number(v),
					)
				}
			}
			if lo, hi := item(r.Low, i), item(r.High, i); !math.IsNaN(lo) && !math.IsNaN(hi) {
				over.errorBar(mid, s.at(lo), s.at(hi))
			}
			if !math.IsNaN(ref) {
				over.reference(mid, s.at(ref), title)
			}
			x += bar
		}
	}
}

// wideBar is the least width of a bar that shows its number.
const wideBar = 30

func size(w, h int) (int, int) {
	if w == 0 {
		w = defaultWidth
	}
	if h == 0 {
		h = defaultHeight
	}
	return w, h
}
