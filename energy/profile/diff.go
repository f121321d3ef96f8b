package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// Difference is how one unit's share of the energy changed from one run to another.
type Difference struct {
	Unit          string  `json:"unit"`
	Before        int64   `json:"before_nj"`
	After         int64   `json:"after_nj"`
	ShareBefore   float64 `json:"share_before"`
	ShareAfter    float64 `json:"share_after"`
	SamplesBefore int     `json:"samples_before"`
	SamplesAfter  int     `json:"samples_after"`
	// Shown: the two shares' 95 % intervals do not overlap. Otherwise the samples do not show a
	// change.
	Shown bool `json:"shown"`
}

// Compare sets rows of two runs beside each other, the largest change of energy first.
func Compare(before, after []Row) []Difference {
	all := map[string]*Difference{}
	at := func(unit string) *Difference {
		d := all[unit]
		if d == nil {
			d = &Difference{Unit: unit}
			all[unit] = d
		}
		return d
	}
	type bounds struct{ low, high float64 }
	was, is := map[string]bounds{}, map[string]bounds{}
	for _, r := range before {
		d := at(r.Unit)
		d.Before, d.ShareBefore, d.SamplesBefore = r.Energy, r.Share, r.Samples
		was[r.Unit] = bounds{r.Low, r.High}
	}
	for _, r := range after {
		d := at(r.Unit)
		d.After, d.ShareAfter, d.SamplesAfter = r.Energy, r.Share, r.Samples
		is[r.Unit] = bounds{r.Low, r.High}
	}
	out := make([]Difference, 0, len(all))
	for unit, d := range all {
		// A unit that is not there at all may have been missed by the samples.
		a, b := was[unit], is[unit]
		d.Shown = a.low > b.high || b.low > a.high
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(change(&b), change(&a)), cmp.Compare(a.Unit, b.Unit))
	})
	return out
}

func change(d *Difference) float64 { return math.Abs(float64(d.After) - float64(d.Before)) }

// WriteDifferences prints the first rows, and the totals they are parts of. Top 0 is all rows.
func WriteDifferences(w io.Writer, rows []Difference, top int) error {
	t := table{w: w}
	var before, after int64
	for i := range rows {
		before, after = before+rows[i].Before, after+rows[i].After
	}
	t.line("attributed %s before, %s after: %s", units.Energy(before), units.Energy(after),
		signedPercent(share(after-before, before)))
	t.line("")
	t.line("%10s %10s %10s %8s %8s %9s  %s", "before", "after", "change", "share", "share",
		"samples", "unit")
	for i, d := range rows {
		if top > 0 && i == top {
			t.line("%43s %d more", "", len(rows)-i)
			break
		}
		note := ""
		if !d.Shown {
			note = "  (the samples do not show that its share changed)"
		}
		t.line("%10s %10s %10s %8s %8s %9s  %s%s", units.Energy(d.Before), units.Energy(d.After),
			signed(d.After-d.Before),
			percent(d.ShareBefore), percent(d.ShareAfter),
			fmt.Sprintf("%d/%d", d.SamplesBefore, d.SamplesAfter), cut(d.Unit), note)
	}
	return t.err
}

func signed(e int64) string {
	if e < 0 {
		return "-" + units.Energy(-e).String()
	}
	return "+" + units.Energy(e).String()
}

func signedPercent(v float64) string { return fmt.Sprintf("%+.1f%%", 100*v) }
