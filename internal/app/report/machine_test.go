package report

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMachineMeters: the summary says what a meter showed and what that is worth, and warns of one
// that shows less than the processors.
func TestMachineMeters(t *testing.T) {
	late, none := int64(2500e6), int64(0)
	whole := MachineMeter{Kind: MachineSensor, Name: "power_meter", EnergyNJ: 400e9,
		CoveredNS: 10e9, Readings: 40, EveryNS: 1e9, StepW: 0.5, LagNS: &late}
	with := func(change func(*MachineMeter)) MachineMeter {
		m := whole
		change(&m)
		return m
	}
	battery := MachineMeter{Kind: MachineBattery, Name: "BAT0", EnergyNJ: 396e9, CoveredNS: 10e9,
		Readings: 2, StepNJ: 36e9}
	for _, c := range []struct {
		m     MachineMeter
		has   string
		not   string
		warns bool
	}{
		{whole, "power_meter: 400 J, 40 W in the mean, of the whole machine; another power each " +
			"1 s, in steps of 500 mW; 2.50 s later than the load, corrected", "covered", false},
		{with(func(m *MachineMeter) { m.LagNS = &none }), "500 mW", "later", false},
		{with(func(m *MachineMeter) { m.LagNS = nil }), "how late is not known", "later", false},
		{with(func(m *MachineMeter) { m.EveryNS = 0 }), "it hardly changed", "steps", false},
		{with(func(m *MachineMeter) { m.EnergyNJ, m.CoveredNS = 200e9, 5e9 }),
			"50.0 % of the run is covered", "no reading", false},
		{with(func(m *MachineMeter) { m.EnergyNJ = 100e9 }), "10 W in the mean", "is it", true},
		{with(func(m *MachineMeter) { m.EnergyNJ, m.CoveredNS, m.Problem = 0, 0, "gone" }),
			"no reading covers the run; gone", "mean", false},
		{battery, "in steps of up to 36 J", "too short", false},
		{MachineMeter{Kind: MachineBattery, Name: "BAT0", EnergyNJ: 350e9, CoveredNS: 10e9,
			StepNJ: 36e9}, "the run is too short", "later", false},
	} {
		r := Report{WallNS: int64(10 * time.Second), Energy: []Energy{{Zone: "package-0",
			Kind: "package", Source: Measured, EnergyNJ: 200e9, ProfiledNS: 10e9}}}
		r.AddMachineMeter(c.m)
		var lines []string
		r.machineLines(func(name, format string, args ...any) {
			lines = append(lines, name+" "+fmt.Sprintf(format, args...))
		})
		text := strings.Join(lines, "\n")
		if !strings.Contains(text, c.has) || strings.Contains(text, c.not) {
			t.Errorf("%q should have %q and not %q", text, c.has, c.not)
		}
		if (len(r.Warnings) == 1) != c.warns {
			t.Errorf("%+v: warnings %v", c.m, r.Warnings)
		}
	}
}
