package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func run(seconds float64, joules int64) *Report {
	return &Report{WallNS: int64(seconds * 1e9), Energy: []Energy{{Zone: "cpu",
		Source: Modelled, EnergyNJ: joules * 1e9, MaxFreqNJ: 2 * joules * 1e9}}}
}

// TestMeans: mean, deviation and the interval by Student's t of a textbook's values; one run has a
// mean only.
func TestMeans(t *testing.T) {
	all := Figures([]*Report{run(10, 100), run(11, 110), run(12, 90)})
	q := all[0]
	if q.Name != "time" || q.Mean != 11 || *q.Deviation != 1 {
		t.Errorf("%+v", q)
	}
	// t(0.975, 2) = 4.30265
	if want := 4.30265 / math.Sqrt(3); math.Abs(*q.High-11-want) > 1e-4 ||
		math.Abs(11-*q.Low-want) > 1e-4 {
		t.Errorf("%v to %v, want 11 +- %v", *q.Low, *q.High, want)
	}
	if one := Figures([]*Report{run(10, 100)}); one[0].Low != nil || one[0].Mean != 10 {
		t.Errorf("%+v", one[0])
	}
	metered := run(10, 100)
	metered.Energy = append(metered.Energy, Energy{Source: Measured, Kind: "package",
		EnergyNJ: 1e9, MaxFreqNJ: 1e9, MaxFreqLoNJ: 1})
	for _, q := range Figures([]*Report{metered, run(1, 1)}) {
		if strings.Contains(q.Name, "metered") {
			t.Errorf("%s is of one run only: %+v", q.Name, q)
		}
	}
}

// TestChanges: Welch's interval of the difference; a unit that one group lacks used nothing there.
func TestChanges(t *testing.T) {
	rows := func(unit string, joules ...int64) (out [][]profile.Row) {
		for _, j := range joules {
			out = append(out, []profile.Row{{Unit: unit, Energy: j * 1e9}})
		}
		return out
	}
	before, after := Units(rows("a", 10, 11, 12)), Units(rows("b", 20, 21, 22))
	changes := CompareUnits(before, after)
	if len(changes) != 2 || changes[0].After.Name != "b" || changes[0].difference() != 21 ||
		changes[1].difference() != -11 || !changes[0].shown() {
		t.Errorf("%+v", changes)
	}
	c := CompareUnits(before, Units(rows("a", 11, 12, 13)))[0]
	// Equal variances of 1: t(0.975, 4) = 2.77645, and the error is sqrt(2/3).
	if want := 2.77645 * math.Sqrt(2./3); math.Abs(*c.High-1-want) > 1e-4 || c.shown() {
		t.Errorf("%v to %v, want 1 +- %v", *c.Low, *c.High, want)
	}
	if c := CompareUnits(before, Units(rows("a", 99)))[0]; c.Low != nil || c.shown() {
		t.Errorf("one run shows a change: %+v", c)
	}
	if got := CompareUnits(nil, after); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestText(t *testing.T) {
	all := Figures([]*Report{run(10, 100), run(12, 110)})
	var b strings.Builder
	if err := WriteText(&b, "run", all, 2, printable.All); err != nil {
		t.Fatal(err)
	}
	if err := WriteChanges(&b, "run", Compare(all, all), 1, printable.All); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"time", "11.00", "-1.71 to 23.71", "1.41", "10.00", "12.00",
		fmt.Sprintf("(%d more)", len(all)-2), "+0.00", "-6.08 to +6.08", "no"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
