package vm

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// metered is what package-0, dram-0 and cores-0 really used between ebb's first and last reading,
// in uJ, as the platform integrates it.
func metered(t *testing.T) map[string]float64 {
	t.Helper()
	var p, d, c float64
	if _, err := fmt.Sscan(read(t, parameters+"metered_uj"), &p, &d, &c); err != nil {
		t.Fatal(err)
	}
	used := map[string]float64{"package-0": p / 1e6, "dram-0": d / 1e6}
	if c > 0 { // there is such a zone
		used["cores-0"] = c / 1e6
	}
	return used
}

// meterAnew begins what metered returns at the second reading: ebb's first one shows, before the
// program starts, whether a meter can be read.
func meterAnew(t *testing.T) {
	t.Helper()
	write(t, parameters+"metered_uj", "1")
}

// TestMeasuredEnergy: the measured energy is the used one, to the microjoule, however often the
// counter wraps.
func TestMeasuredEnergy(t *testing.T) {
	settle(t)
	for name, span := range map[string]string{"of a real part": read(t, parameters+"wrap_uj"),
		"that wraps every third of a second": "4000000"} {
		t.Run(name, func(t *testing.T) {
			fault(t, "wrap_uj", span)
			meterAnew(t)
			_, rep, _ := governed(t, computeBound.of(medium), "--frequency", "4GHz")
			for zone, want := range metered(t) {
				got := rep.measured(zone)
				t.Logf("%s: measured %.6f J, used %.6f J", zone, got, want)
				if math.Abs(got-want) > 1.5e-6 || got < 0.5 {
					t.Errorf("%s: measured %.6f J, used %.6f J", zone, got, want)
				}
			}
			if p := rep.measured("package-0"); p < 12 {
				t.Errorf("%.1f J are too few for the counter to wrap", p)
			}
		})
	}
}

// A meter that fails in the middle of a run: the run goes on and keeps its budget, the report says
// what happened, and of the energy there is what was measured, or nothing, but nothing invented.
func TestMeterFails(t *testing.T) {
	work := mixed
	top := highest(t, work)
	whole, _, _ := governed(t, work, "--slowdown", "5%")
	healthy := whole.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown with meters that work: %.2f %%", 100*healthy)
	for _, c := range []struct {
		name, parameter string
		values          []string // one after the other
		zone, says      string
	}{
		{"wraps every second", "wrap_uj", []string{"16000000"}, "package-0", "measured"},
		{"goes backwards and leaps", "leap_mj", []string{"-5000", "100000000"}, "package-0",
			"around 2 resets"},
		{"stands still", "frozen", []string{"3"}, "package-0", "stood still"},
		{"memory goes and the package", "zones", []string{"1", "0"}, "dram-0", "no such device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault(t, c.parameter, read(t, parameters+c.parameter)) // to be as before at the end
			meterAnew(t)
			if c.parameter == "wrap_uj" { // from the start
				write(t, parameters+c.parameter, c.values[0])
			} else {
				during(t, func() {
					for _, v := range c.values {
						write(t, parameters+c.parameter, v)
						time.Sleep(200 * time.Millisecond)
					}
				})
			}
			u, rep, r := governed(t, work, "--slowdown", "5%")
			slow := u.time.Seconds()/top.time.Seconds() - 1
			got, used := rep.measured(c.zone), metered(t)[c.zone]
			t.Logf("slowdown %.2f %%; %s: measured %.3f J, used %.3f J: %v", 100*slow, c.zone, got,
				used, rep.Energy)
			if slow > max(0.055, healthy+0.005) {
				t.Errorf("the slowdown is %.2f %%", 100*slow)
			}
			if !strings.Contains(r.err, c.says) {
				t.Errorf("it does not say %q: %s", c.says, r.err)
			}
			if got > used+1.5e-6 {
				t.Errorf("%s: %.3f J are invented", c.zone, got-used)
			}
		})
	}
}

// A machine whose memory has no meter.
func TestNoMemoryMeter(t *testing.T) {
	fault(t, "zones", "1")
	_, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "5%")
	if rep.measured("package-0") == 0 || rep.measured("dram-0") != 0 || len(rep.warned()) != 0 {
		t.Errorf("%v %v: %s", rep.Energy, rep.Warnings, r.err)
	}
}

// A machine without any meter: there are no joules, and the clocks are compared by a reference
// processor.
func TestNoMeter(t *testing.T) {
	fault(t, "zones", "0")
	_, rep, r := governed(t, memoryBound.of(long), "--slowdown", "5%")
	for _, e := range rep.Energy {
		if e.Source != "reference processor" {
			t.Errorf("%+v", e)
		}
	}
	says(t, r.err, "the reference processor (table2): ", "no joules here, shares are of CPU time")
}
