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
func (v Spreads) SVG() string {
	w, _ := size(v.Width, 0)
	x, names := nothing(), 0.0
	for i := range v.Rows {
		r := &v.Rows[i]
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
	f.bottom = f.top + spreadHeight*float64(len(v.Rows))
	var p pen
	p.begin(w, int(f.bottom)+50, v.Title, v.Desc)
	p.text("name", "start", 12, 20, v.Title)
	legend(&p, f.left, 44, f.right, []entry{{"records", swatch(0)},
		{"mean, with its interval", func(p *pen, x, y float64) { p.reference(x, y, "") }}})
	s := v.axis(&p, f, x)
	for i := range v.Rows {
		base := f.top + spreadHeight*float64(i+1) - 8
		p.text("", "end", f.left-12, base-6, v.Rows[i].Name)
		v.row(&p, s, &v.Rows[i], f, base)
	}
	return p.end()
}

// axis draws whole powers of ten, so many of them that their texts do not touch.
func (v *Spreads) axis(p *pen, f frame, x extent) scale {
	if x.lo > x.hi {
		x = extent{0, 1}
	}
	lo, hi := math.Floor(x.lo), math.Ceil(x.hi)
	if lo == hi {
		hi++
	}
	s := scale{lo: lo, hi: hi, from: f.left, to: f.right, step: 1}
	every := math.Ceil((hi - lo) / 12)
	for e := lo; e <= hi; e++ {
		p.line("grid", s.at(e), f.top, s.at(e), f.bottom)
		if math.Mod(e-lo, every) == 0 && v.Text != nil {
			p.text("soft", "middle", s.at(e), f.bottom+17, v.Text(math.Pow(10, e)))
		}
	}
	p.text("soft", "middle", (f.left+f.right)/2, f.bottom+38, v.Label)
	return s
}

func (v *Spreads) row(p *pen, s scale, r *Spread, f frame, base float64) {
	p.line("zero", f.left, base, f.right, base)
	most := 0
	for _, b := range r.Bins {
		most = max(most, b.Count)
	}
	for _, b := range r.Bins {
		if b.From <= 0 || b.To < b.From || b.Count <= 0 {
			continue
		}
		from, to := s.at(math.Log10(b.From)), s.at(math.Log10(b.To))
		high := max(spreadBars*float64(b.Count)/float64(most), 1.5) // one among many is seen
		p.rect(class("f", 0), from, base-high, max(to-from-0.6, 1), high,
			fmt.Sprintf("%s: %d records of %s to %s", r.Name, b.Count, v.text(b.From),
				v.text(b.To)))
	}
	if r.Mean > 0 {
		title := fmt.Sprintf("%s: mean %s", r.Name, v.text(r.Mean))
		if r.Low > 0 && r.High > 0 {
			lo, hi := s.at(math.Log10(r.Low)), s.at(math.Log10(r.High))
			fmt.Fprintf(p, `<path class="bar" d="M%.1f %.1fv6m0 -3H%.1fm0 -3v6"/>`, lo, base-3, hi)
			title += fmt.Sprintf(", interval %s to %s", v.text(r.Low), v.text(r.High))
		}
		p.reference(s.at(math.Log10(r.Mean)), base, title)
	}
}

func (v *Spreads) text(x float64) string {
	if v.Text == nil {
		return number(x)
	}
	return v.Text(x)
}
