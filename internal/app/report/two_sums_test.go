package report

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestTwoSums: where the attribution divides another energy than the one that the summary compares
// clocks by, the lines above its table say which is which; where it is the same, they say nothing.
func TestTwoSums(t *testing.T) {
	zones := func(nj int64) *profile.Profile {
		return &profile.Profile{WallNS: 3e9, Zones: []profile.Zone{
			{Name: "cpu", Source: "modelled", Model: "tab\x1ble2", TotalNJ: nj},
			{Name: "dram", Source: "modelled", TotalNJ: 5e9}, {Name: "psys-0", TotalNJ: 9e9}}}
	}
	modelled := []Energy{{Zone: "cpu", Source: Modelled, EnergyNJ: 105e9},
		{Zone: "dram", Source: Modelled, EnergyNJ: 5e9}}
	measured := append(modelled, Energy{Source: Measured, Kind: "package", EnergyNJ: 90e9,
		MaxFreqLoNJ: 1})
	for name, c := range map[string]struct {
		r    Report
		want []string // none: it says nothing
	}{
		"no attribution": {Report{Energy: modelled}, nil},
		"the same":       {Report{Energy: modelled, Attribution: zones(105e9)}, nil},
		"modelled": {Report{Energy: modelled, Attribution: zones(115e9), Actuator: "shadow"},
			[]string{"110 J by the model that chooses the clock, at the clocks that ebb would",
				`120 J modelled by tab\x1ble2, over 3 s`}},
		"measured": {Report{Energy: measured, Attribution: zones(115e9), WallNS: 4e9},
			[]string{"90 J of the meters, over 4 s", "120 J"}},
	} {
		got := c.r.TwoSums()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q in it", name, got, want)
			}
		}
		if c.want == nil && got != "" {
			t.Errorf("%s: %q", name, got)
		}
		if (got != "") != strings.Contains(c.r.AsItRan(), "two sums") {
			t.Errorf("%s: %q above the table", name, c.r.AsItRan())
		}
	}
}

// TestSkippedIsSaid: with a hold-off the rows of a table have a part of the run, and that is said
// above them.
func TestSkippedIsSaid(t *testing.T) {
	r := Report{HoldOff: 5, WallNS: 10e9, ProfiledNS: 2e9, Attribution: &profile.Profile{}}
	const want = "hold-off     one quantum in 5 is divided (--hold-off), 2 s of 10 s;"
	if got := r.AsItRan(); !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
	r.HoldOff = 1
	if got := r.AsItRan(); got != "" {
		t.Errorf("every quantum was profiled, and it says %q", got)
	}
}
