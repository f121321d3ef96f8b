package chart

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// Ranks is a figure with a row for each name and in it a bar of each series, from left to right
// along a common axis from zero: the names may be long.
type Ranks struct {
	Title, Desc string
	Names       []string
	X           Axis
	Series      []Series // their References are not drawn
	Width       int      // 0 for the usual size
}

const (
	rankBar = 13 // the height of a bar, with the gap below it
	rankGap = 9  // between rows
	// longestRank is the number of a name's letters that are drawn, its last ones: those of Java's
	// names distinguish methods.
	longestRank = 48
)

// SVG implements Figure.
func (r Ranks) SVG() string {
	w, _ := size(r.Width, 0)
	longest := 0.0
	names := make([]string, len(r.Names))
	for i, n := range r.Names {
		names[i] = lastLetters(n, longestRank)
		longest = max(longest, width(names[i]))
	}
	x := nothing()
	var entries []entry
	for i := range r.Series {
		s := &r.Series[i]
		entries = append(entries, entry{s.Name, swatch(s.colour(i))})
		x.add(s.Values...)
		x.add(s.High...)
	}
	const numbers = 48 // the width of a bar's number
	f := frame{left: 24 + longest, right: float64(w) - numbers}
	high := float64(rankBar*max(len(r.Series), 1) + rankGap)
	var p, head pen
	head.text("name", "start", 12, 20, r.Title)
	f.top = 34 + legend(&head, f.left, 40, f.right, entries)
	f.bottom = f.top + high*float64(len(r.Names))
	p.begin(w, int(f.bottom)+46, r.Title, r.Desc)
	p.WriteString(head.String())
	axis := r.X
	axis.Zero = true
	s := newScale(axis, x, f.left, f.right, 8)
	f.vertical(&p, s, axis)
	for k, name := range names {
		y := f.top + high*float64(k) + rankGap/2
		p.text("", "end", f.left-8, y+float64(rankBar*len(r.Series))/2+4, name)
		r.row(&p, k, s, y)
	}
	return p.end()
}

// row draws the bars of row k, from y on down.
func (r *Ranks) row(p *pen, k int, s scale, y float64) {
	for i := range r.Series {
		v := item(r.Series[i].Values, k)
		if !math.IsNaN(v) {
			title := fmt.Sprintf("%s, %s: %s", r.Names[k], r.Series[i].Name, r.X.value(v))
			from, to := s.at(0), s.at(v)
			p.rect(class("f", r.Series[i].colour(i)), min(from, to), y, math.Abs(to-from),
				rankBar-2, title)
			end := to
			if lo, hi := item(r.Series[i].Low, k), item(r.Series[i].High, k); lo < hi {
				mid := y + rankBar/2 - 1
				fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fv6m0 -3H%.1fm0 -3v6"/>`, s.at(lo),
					mid-3, s.at(hi))
				end = max(end, s.at(hi))
			}
			p.text("small", "start", end+5, y+rankBar-4, number(v))
		}
		y += rankBar
	}
}

// lastLetters returns the end of a name that has more than n letters.
func lastLetters(s string, n int) string {
	for over := utf8.RuneCountInString(s) - n; over >= 0; over-- {
		if over == 0 {
			return "…" + s
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}
