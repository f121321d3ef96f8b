package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/predictor/power"
)

// TestWithoutJoules: a reference processor's figures are shown as a share, once, and never in
// joules; a meter's and a named model's are.
func TestWithoutJoules(t *testing.T) {
	reference := []Energy{
		{Zone: "cpu", Source: Reference, Model: "table2", EnergyNJ: 75e9, MaxFreqNJ: 100e9},
		{Zone: "dram", Source: Reference, Model: "table2", EnergyNJ: 5e9, MaxFreqNJ: 4e9}}
	meter := append([]Energy{{Zone: "package-0", Kind: "package", Source: Measured,
		EnergyNJ: 9e9, ProfiledNS: 1e9}}, reference...)
	stated := []Energy{{Zone: "cpu", Source: Modelled, Model: "mine", EnergyNJ: 75e9,
		MaxFreqNJ: 100e9}}
	time := &profile.Profile{Rules: []string{"ledger"}, Zones: []profile.Zone{{Name: "cpu",
		Source: "CPU time", TotalNJ: 2e9, Attr: []int64{2e9}, OthersNJ: []int64{0},
		IdleNJ: []int64{0}, RestNJ: []int64{0}}}}
	for name, c := range map[string]struct {
		r           Report
		have, lacks []string
	}{
		"reference": {Report{Energy: reference, Attribution: time},
			[]string{"the reference processor (table2): 23.1 % less", OnlyTime},
			[]string{"J ", "modelled"}},
		"meter": {Report{Energy: meter}, []string{"package-0: 9 J", "23.1 % less"},
			[]string{OnlyTime, "80 J", "104 J"}},
		"stated": {Report{Energy: stated}, []string{"75 J of processor and memory", "mine"},
			[]string{OnlyTime, "reference"}},
	} {
		var text bytes.Buffer
		c.r.WriteSummary(&text)
		for _, want := range c.have {
			if strings.Count(text.String(), want) != 1 {
				t.Errorf("%s: not once %q:\n%s", name, want, text.String())
			}
		}
		for _, wrong := range c.lacks {
			if strings.Contains(text.String(), wrong) {
				t.Errorf("%s: %q in\n%s", name, wrong, text.String())
			}
		}
		for _, f := range c.r.Figures() {
			if name == "reference" && f.Unit == "J" {
				t.Errorf("%s: a figure %+v", name, f)
			}
		}
	}
}

// TestOneSum: a zone of a named model has the attribution's total, and keeps its saving.
func TestOneSum(t *testing.T) {
	for actuator, want := range map[string][2]int64{"shadow": {90e9, 120e9},
		"setspeed": {120e9, 160e9}} {
		r := Report{Actuator: actuator, Energy: []Energy{{Zone: "cpu", Source: Modelled,
			EnergyNJ: 75e9, MaxFreqNJ: 100e9}}, Attribution: &profile.Profile{WallNS: 3e9,
			Zones: []profile.Zone{{Name: "cpu", Source: Modelled, TotalNJ: 120e9}}}}
		r.OneSum()
		if z := r.Energy[0]; z.EnergyNJ != want[0] || z.MaxFreqNJ != want[1] {
			t.Errorf("%s: %+v, want %v", actuator, z, want)
		}
		if r.Attribution.Zones[0].Source = "trained"; r.Energy[0].EnergyNJ != want[0] {
			t.Error(r.Energy)
		}
	}
}

// TestPlatformInTotals: the stated power of everything else is part of what the meters are said to
// have saved.
func TestPlatformInTotals(t *testing.T) {
	r := Report{Energy: []Energy{{Zone: "package-0", Kind: "package", Source: Measured,
		EnergyNJ: 80e9, MaxFreqNJ: 100e9, MaxFreqLoNJ: 95e9, MaxFreqHiNJ: 105e9},
		{Zone: "platform", Source: Reference, EnergyNJ: 440e9, MaxFreqNJ: 400e9}}}
	var text bytes.Buffer
	r.WriteSummary(&text)
	if want := "-4.0 % of 500 J at the highest frequency"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, text.String())
	}
}

// TestNoEnergyIsNoNumber: estimates that are no numbers, or below nothing, leave no energy behind.
func TestNoEnergyIsNoNumber(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, 0, 1e30} {
		for _, e := range []saving.Estimate{{Used: x, Highest: 1e9}, {Used: 1e9, Highest: x},
			{Metered: true, Ratio: x, Lo: 1, Hi: 1}, {Metered: true, Ratio: 1, Lo: x, Hi: x}} {
			r := &Report{HoldOff: 1}
			r.Meter(Energy{Zone: "package-0", Kind: "package", EnergyNJ: 3e9})
			c := NewObserver(r, states, power.Table2())
			c.energy.CPUDynamic, c.energyMax.CPUDynamic = 5e9, 6e9
			c.Account(e)
			c.Finish()
			for _, z := range r.Energy {
				for _, nj := range []int64{z.EnergyNJ, z.MaxFreqNJ, z.MaxFreqLoNJ, z.MaxFreqHiNJ} {
					if nj < 0 || nj > 1<<62 {
						t.Errorf("%+v: %+v", e, z)
					}
				}
			}
		}
	}
}

// TestSoFarWithoutJoules: while the run goes on, a reference processor has no power either.
func TestSoFarWithoutJoules(t *testing.T) {
	for _, reference := range []bool{false, true} {
		c := NewObserver(&Report{HoldOff: 1}, states, power.Table2())
		c.Reference = reference
		begin := c.SoFar()
		c.Observe(&governor.Event{Kind: governor.Sched}, []governor.Action{quantum(0, 4e9)})
		if p := c.SoFar().Power(begin); (p > 0) == reference {
			t.Errorf("reference %v: %v", reference, p)
		}
	}
}
