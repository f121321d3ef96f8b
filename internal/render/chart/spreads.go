package chart

import (
	"fmt"
	"math"
)

// Spreads is a figure with a row for each name: how often which values came, as bars over a common
// logarithmic axis, and a mark at their mean with its interval.
type Spreads struct {
	Title, Desc string
	Label       string               // title of the axis
	Text        func(float64) string // a value with its unit
	Rows        []Spread
	Width       int // 0 for the usual size
}

// Spread is one row. Values that are not above zero have no place on the axis.
type Spread struct {
	Name            string
	Mean, Low, High float64 // NaN: not known
	Bins            []Bin
}

// Bin is a range of values and how many lie in it.
type Bin struct {
	From, To float64
	Count    int
}

const (
	spreadHeight = 46
	spreadBars   = 30 // height of the bars in a row
)

// SVG implements Figure.
func (s Spreads) SVG() string {
	w, _ := size(s.Width, 0)
	x, names := nothing(), 0.0
	for i := range s.Rows {
		r := &s.Rows[i]
		names = max(names, width(r.Name))
		for _, b := range r.Bins {
			if b.From > 0 && b.To >= b.From {
				x.add(math.Log10(b.From), math.Log10(b.To))
			}
		}
		for _, m := range []float64{r.Mean, r.Low, r.High} {
			if m > 0 {
				x.add(math.Log10(m))
			}
		}
	}
	f := frame{left: 24 + names, right: float64(w) - 34, top: 62}
	f.bottom = f.top + spreadHeight*float64(len(s.Rows))
	var p pen
	p.begin(w, int(f.bottom)+50, s.Title, s.Desc)
	p.text("name", "start", 12, 20, s.Title)
	legend(&p, f.left, 44, f.right, []entry{{"records", swatch(0)},
		{"mean, with its interval", func(p *pen, x, y float64) { p.reference(x, y, "") }}})
	xs := s.axis(&p, f, x)
	for i := range s.Rows {
		base := f.top + spreadHeight*float64(i+1) - 8
		p.text("", "end", f.left-12, base-6, s.Rows[i].Name)
		s.row(&p, xs, &s.Rows[i], f, base)
	}
	return p.end()
}

// axis draws whole powers of ten, so many of them that their texts do not touch.
func (s *Spreads) axis(p *pen, f frame, x extent) scale {
	if x.lo > x.hi {
		x = extent{0, 1}
	}
	lo, hi := math.Floor(x.lo), math.Ceil(x.hi)
	if lo == hi {
		hi++
	}
	xs := scale{lo: lo, hi: hi, from: f.left, to: f.right, step: 1}
	every := math.Ceil((hi - lo) / 12)
	for e := lo; e <= hi; e++ {
		p.line("grid", xs.at(e), f.top, xs.at(e), f.bottom)
		if math.Mod(e-lo, every) == 0 && s.Text != nil {
			p.text("soft", "middle", xs.at(e), f.bottom+17, s.Text(math.Pow(10, e)))
		}
	}
	p.text("soft", "middle", (f.left+f.right)/2, f.bottom+38, s.Label)
	return xs
}

func (s *Spreads) row(p *pen, xs scale, r *Spread, f frame, base float64) {
	p.line("zero", f.left, base, f.right, base)
	most := 0
	for _, b := range r.Bins {
		most = max(most, b.Count)
	}
	for _, b := range r.Bins {
		if b.From <= 0 || b.To < b.From || b.Count <= 0 {
			continue
		}
		from, to := xs.at(math.Log10(b.From)), xs.at(math.Log10(b.To))
		high := max(spreadBars*float64(b.Count)/float64(most), 1.5) // one among many is seen
		p.rect(class("f", 0), from, base-high, max(to-from-0.6, 1), high,
			fmt.Sprintf("%s: %d records of %s to %s", r.Name, b.Count, s.text(b.From),
				s.text(b.To)))
	}
	if r.Mean > 0 {
		title := fmt.Sprintf("%s: mean %s", r.Name, s.text(r.Mean))
		if r.Low > 0 && r.High > 0 {
			lo, hi := xs.at(math.Log10(r.Low)), xs.at(math.Log10(r.High))
			fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fv6m0 -3H%.1fm0 -3v6"/>`, lo, base-3, hi)
			title += fmt.Sprintf(", interval %s to %s", s.text(r.Low), s.text(r.High))
		}
		p.reference(xs.at(math.Log10(r.Mean)), base, title)
	}
}

func (s *Spreads) text(x float64) string {
	if s.Text == nil {
		return number(x)
	}
	return s.Text(x)
}
