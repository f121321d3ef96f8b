package chart

import "strings"

// entry is a name in a legend.
type entry struct {
	name string
	draw func(p *pen, x, y float64)
}

func swatch(colour int) func(p *pen, x, y float64) {
	return func(p *pen, x, y float64) { p.rect(class("f", colour), x-5, y-5, 10, 10, "") }
}

func class(kind string, colour int) string { return kind + string(rune('0'+colour%colours)) }

// legend writes entries from left to right and begins a new line where one is full. It returns the
// height used.
func legend(p *pen, x0, y, right float64, entries []entry) float64 {
	x, line := x0, 0.0
	for _, e := range entries {
		w := 36 + width(e.name)
		if x > x0 && x+w > right {
			x, line = x0, line+19
		}
		e.draw(p, x+6, y+line-4)
		p.text("", "start", x+17, y+line, e.name)
		x += w
	}
	return line + 19
}

// frame is the part of a figure around what it shows.
type frame struct {
	left, top, right, bottom float64
}

// horizontal draws the lines and numbers of the y axis.
func (f frame) horizontal(p *pen, s scale, a Axis) {
	for _, v := range s.ticks() {
		y := s.at(v)
		c := "grid"
		if v == 0 {
			c = "zero"
		}
		p.line(c, f.left, y, f.right, y)
		p.text("soft", "end", f.left-7, y+4, s.tick(v))
	}
	p.upright(14, (f.top+f.bottom)/2, a.title())
}

// vertical draws the lines and numbers of the x axis.
func (f frame) vertical(p *pen, s scale, a Axis) {
	for _, v := range s.ticks() {
		x := s.at(v)
		c := "grid"
		if v == 0 {
			c = "zero"
		}
		p.line(c, x, f.top, x, f.bottom)
		p.text("soft", "middle", x, f.bottom+17, s.tick(v))
	}
	p.text("soft", "middle", (f.left+f.right)/2, f.bottom+36, a.title())
}

// Level is a horizontal line through a figure, such as a budget.
type Level struct {
	Name string
	At   float64
}

func (f frame) levels(p *pen, s scale, levels []Level) {
	for _, l := range levels {
		y := s.at(l.At)
		p.line("level", f.left, y, f.right, y)
	}
}

// levelEntries names levels in the legend, since on the drawing a name would stand among what comes
// near the level.
func levelEntries(levels []Level) (entries []entry) {
	for _, l := range levels {
		if l.Name != "" {
			entries = append(entries, entry{l.Name,
				func(p *pen, x, y float64) { p.line("level", x-7, y, x+7, y) }})
		}
	}
	return entries
}

// Section is a heading over the groups from From on, up to the next section.
type Section struct {
	Name string
	From int
}

// sectionsHeight is the height of the headings, and below them of a number at the end of a bar that
// reaches the top.
const sectionsHeight = 30

// sections draws headings and the borders between them; at is the left border of group i.
func (f frame) sections(p *pen, sections []Section, groups int, at func(i int) float64) {
	for i, s := range sections {
		end := groups
		if i+1 < len(sections) {
			end = sections[i+1].From
		}
		p.text("soft", "middle", (at(s.From)+at(end))/2, f.top-21, s.Name)
		if s.From > 0 {
			p.line("level", at(s.From), f.top-sectionsHeight-2, at(s.From), f.bottom+4)
		}
	}
}

// groupNamesHeight is the height that the names below the groups need: in a line, in several, or
// slanted when even single words would touch.
func groupNamesHeight(names []string, group float64) float64 {
	lines, ok := folded(names, group)
	if ok {
		most := 1
		for _, l := range lines {
			most = max(most, len(l))
		}
		return 10 + 14*float64(most)
	}
	longest := 0.0
	for _, n := range names {
		longest = max(longest, width(n))
	}
	return 20 + longest*0.574 // sin 35 degrees
}

// nameGap is the room between the names of two groups.
const nameGap = 10

// folded cuts names into lines that fit below their groups; ok is false when a word does not.
func folded(names []string, group float64) (lines [][]string, ok bool) {
	for _, n := range names {
		var l []string
		for _, word := range strings.Fields(n) {
			switch last := len(l) - 1; {
			case width(word) > group-nameGap:
				return nil, false
			case last >= 0 && width(l[last]+" "+word) <= group-nameGap:
				l[last] += " " + word
			default:
				l = append(l, word)
			}
		}
		lines = append(lines, l)
	}
	return lines, true
}

func (f frame) groupNames(p *pen, names []string, group float64, mid func(i int) float64) {
	lines, ok := folded(names, group)
	for i, n := range names {
		if !ok {
			p.slanted(mid(i)+4, f.bottom+14, n)
			continue
		}
		for k, l := range lines[i] {
			p.text("", "middle", mid(i), f.bottom+17+14*float64(k), l)
		}
	}
}
