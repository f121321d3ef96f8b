package view

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Difference is the change of one unit's share of the energy from one run to another.
type Difference struct {
	Unit        string  `json:"unit"`
	Before      int64   `json:"before_nj"`
	After       int64   `json:"after_nj"`
	ShareBefore float64 `json:"share_before"`
	ShareAfter  float64 `json:"share_after"`
	// ends of the 95 % intervals of the shares
	LowBefore     float64 `json:"share_before_low"`
	HighBefore    float64 `json:"share_before_high"`
	LowAfter      float64 `json:"share_after_low"`
	HighAfter     float64 `json:"share_after_high"`
	SamplesBefore int     `json:"samples_before"`
	SamplesAfter  int     `json:"samples_after"`
	// Shown reports that the two shares' 95 % intervals do not overlap. Otherwise the samples do
	// not show a change.
	Shown bool `json:"shown"`
}

// compareRows sets rows of two runs beside each other, the largest change of energy first.
func compareRows(before, after []profile.Row) []Difference {
	all := map[string]*Difference{}
	at := func(unit string) *Difference {
		d := all[unit]
		if d == nil {
			d = &Difference{Unit: unit}
			all[unit] = d
		}
		return d
	}
	for _, r := range before {
		d := at(r.Unit)
		d.Before, d.ShareBefore, d.SamplesBefore = r.Energy, r.Share, r.Samples
		d.LowBefore, d.HighBefore = r.Low, r.High
	}
	for _, r := range after {
		d := at(r.Unit)
		d.After, d.ShareAfter, d.SamplesAfter = r.Energy, r.Share, r.Samples
		d.LowAfter, d.HighAfter = r.Low, r.High
	}
	out := make([]Difference, 0, len(all))
	for _, d := range all {
		// A unit that is not there at all may have been missed by the samples.
		d.Shown = d.LowBefore > d.HighAfter || d.LowAfter > d.HighBefore
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(change(&b), change(&a)), cmp.Compare(a.Unit, b.Unit))
	})
	return out
}

func change(d *Difference) float64 { return math.Abs(float64(d.After) - float64(d.Before)) }

// writeDifferences prints the first rows, and the totals they are parts of, on a page of a width.
// Top 0 is all rows.
func writeDifferences(
	w io.Writer, a profile.Amounts, rows []Difference, top, width int,
) error {
	t := printable.Lines{W: w}
	var before, after, most int64
	for i := range rows {
		before, after = before+rows[i].Before, after+rows[i].After
		most = max(most, rows[i].Before, rows[i].After)
	}
	of, more := "", 0.0
	if before != 0 {
		more = float64(after-before) / float64(before)
	}
	if !a.Joules() {
		of = " (CPU time)"
	}
	t.Line("attributed %s before, %s after: %s%s", a.One(before), a.One(after),
		printable.ShortSignedPercent(more), of)
	t.Line("")
	c := printable.Table{Name: "unit", Columns: []printable.Column{{Title: "before", Weight: 8},
		{Title: "after", Weight: 8}, {Title: "change", Weight: 9},
		{Title: "share before", Weight: 6}, {Title: "share after", Weight: 6},
		{Title: "shown", Weight: 7}, {Title: "samples", Weight: 3}}}
	joules := a.Column(most)
	for i, d := range rows {
		if top > 0 && i == top {
			c.Row(fmt.Sprintf("(%d more)", len(rows)-i))
			break
		}
		shown := "yes"
		if !d.Shown {
			shown = "no"
		}
		c.Row(d.Unit, joules(d.Before), joules(d.After), plus(joules(d.After-d.Before)),
			within(d.ShareBefore, d.LowBefore, d.HighBefore),
			within(d.ShareAfter, d.LowAfter, d.HighAfter), shown,
			fmt.Sprintf("%d/%d", d.SamplesBefore, d.SamplesAfter))
	}
	if t.Err == nil {
		t.Err = c.Write(w, width)
	}
	t.Line("")
	t.Line("shown: the 95 %% intervals of the shares are apart, so chance does not explain it")
	return t.Err
}

// within returns a share with its 95 % interval, where it has one.
func within(share, low, high float64) string {
	if low == high {
		return printable.ShortPercent(share)
	}
	return fmt.Sprintf("%s (%.1f-%.1f)", printable.ShortPercent(share), 100*low, 100*high)
}

// plus marks an increase.
func plus(change string) string {
	if strings.HasPrefix(change, "-") {
		return change
	}
	return "+" + change
}
