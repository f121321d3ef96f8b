package chart

import "fmt"

// Parts is a figure of one bar: a whole, and from left to right the parts that add up to it.
type Parts struct {
	Title, Desc string
	Parts       []Part
	Width       int // 0 for the usual size
}

// Part is one part. A value that is not above zero has no room on the bar, only in the legend.
type Part struct {
	Name   string
	Value  float64
	Amount string // the value in words
	Colour int    // its place in the palette, from 1; 0 for the part's place
}

// partsHeight is the bar's height.
const partsHeight = 26

// SVG implements Figure.
func (b Parts) SVG() string {
	w, _ := size(b.Width, 0)
	const left = 12
	right := float64(w) - left
	whole := 0.0
	for _, part := range b.Parts {
		whole += max(part.Value, 0)
	}
	var bar, names pen
	const top = 30
	var entries []entry
	x := float64(left)
	for i, part := range b.Parts {
		colour := i
		if part.Colour > 0 {
			colour = part.Colour - 1
		}
		share := 0.0
		if whole > 0 {
			share = max(part.Value, 0) / whole
		}
		percent := fmt.Sprintf("%.1f %%", 100*share)
		entries = append(entries, entry{part.Name + " " + percent, swatch(colour)})
		if wide := share * (right - left); wide > 0 {
			bar.rect(class("f", colour), x, top, wide, partsHeight,
				part.Name+": "+part.Amount+", "+percent)
			x += wide
		}
	}
	below := legend(&names, left, top+partsHeight+22, right, entries)
	var p pen
	p.begin(w, int(top+partsHeight+below)+12, b.Title, b.Desc)
	p.text("name", "start", left, 20, b.Title)
	p.WriteString(bar.String() + names.String())
	return p.end()
}
