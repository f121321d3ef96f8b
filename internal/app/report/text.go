package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

func byMean(a, b Quantity) int {
	return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Name, b.Name))
}

// unknown stands for a figure that one run cannot have.
const unknown = "-"

// decimals returns the decimals of a table: two, and more where all is in one unit and small.
func decimals(all []Quantity) int {
	most := 0.0
	for i := range all {
		if all[i].Unit != all[0].Unit {
			return 2
		}
		most = max(most, math.Abs(all[i].Mean))
	}
	if most <= 0 {
		return 2
	}
	const digits, finest = 3, 9
	return min(max(digits-int(math.Floor(math.Log10(most))), 2), finest)
}

// figure returns a number as text, or what stands for none.
func figure(v *float64, decimals int) string {
	if v == nil {
		return unknown
	}
	return rounded("%.*f", decimals, *v)
}

// rounded returns a number as text. A number that rounds to nothing has no minus.
func rounded(format string, decimals int, v float64) string {
	if math.Abs(v) < math.Pow10(-decimals)/2 {
		v = 0
	}
	return fmt.Sprintf(format, decimals, v)
}

// WriteText prints quantities on a page of a width, at most top of them; 0 for all.
func WriteText(w io.Writer, title string, all []Quantity, top, width int) error {
	t := printable.Table{Name: title, Columns: []printable.Column{{Title: "unit", Weight: 9},
		{Title: "mean", Weight: 9}, {Title: "95% interval", Weight: 8},
		{Title: "deviation", Weight: 7}, {Title: "least", Weight: 6}, {Title: "most", Weight: 6}}}
	n := decimals(all)
	for i := range all {
		if top > 0 && i == top {
			t.Row(fmt.Sprintf("(%d more)", len(all)-i))
			break
		}
		q := &all[i]
		interval := unknown
		if q.Low != nil {
			interval = figure(q.Low, n) + " to " + figure(q.High, n)
		}
		least, most := slices.Min(q.Values), slices.Max(q.Values)
		t.Row(q.Name, q.Unit, figure(&q.Mean, n), interval, figure(q.Deviation, n),
			figure(&least, n), figure(&most, n))
	}
	return t.Write(w, width)
}

// WriteChanges prints differences in the same way.
func WriteChanges(w io.Writer, title string, all []Change, top, width int) error {
	t := printable.Table{Name: title, Columns: []printable.Column{{Title: "unit", Weight: 9},
		{Title: "before", Weight: 6}, {Title: "after", Weight: 6}, {Title: "change", Weight: 9},
		{Title: "95% interval", Weight: 8}, {Title: "shown", Weight: 7}}}
	var means []Quantity
	for i := range all {
		means = append(means, all[i].Before, all[i].After)
	}
	n := decimals(means)
	for i := range all {
		if top > 0 && i == top {
			t.Row(fmt.Sprintf("(%d more)", len(all)-i))
			break
		}
		c := &all[i]
		interval, shown := unknown, "no"
		if c.Low != nil {
			interval = rounded("%+.*f", n, *c.Low) + " to " + rounded("%+.*f", n, *c.High)
		}
		if c.shown() {
			shown = "yes"
		}
		t.Row(c.After.Name, c.After.Unit, figure(&c.Before.Mean, n), figure(&c.After.Mean, n),
			rounded("%+.*f", n, c.difference()), interval, shown)
	}
	return t.Write(w, width)
}
