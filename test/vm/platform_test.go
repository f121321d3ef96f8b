package vm

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "driver ebb-platform", "1 GHz to 4 GHz in 25 states",
		"package-0 (powercap), dram-0 (powercap)", "would try setspeed",
		"cycles, instructions, stall_lo_cycles, occ_hi_cycles, store_full_cycles, "+
			"store_rfo_cycles (events of Skylake-SP)")
	if r.code != 0 || r.err != "" {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
}

// TestKernel: a real kernel behaves as package cpufreq assumes and as its tests' model of a kernel
// does.
func TestKernel(t *testing.T) {
	keep(t, 3000000)
	dir := policies + "policy0/"
	for _, c := range []struct{ ask, get string }{
		{"2000000", "2000000"},
		{"2600000", "2625000"}, // up to a state
		{"100000", "1000000"},  // into the limits
		{"9000000", "4000000"},
	} {
		write(t, dir+"scaling_setspeed", c.ask)
		if got := read(t, dir+"scaling_cur_freq"); got != c.get {
			t.Errorf("asked for %s, runs at %s, want %s", c.ask, got, c.get)
		}
	}
	if err := os.WriteFile(dir+"scaling_setspeed", []byte("fast"), 0); err == nil {
		t.Error("a word was taken for a frequency")
	}
	write(t, dir+"scaling_setspeed", "3000000")
	fault(t, "refuse", "1")
	write(t, dir+"scaling_setspeed", "2000000") // succeeds
	if got := read(t, dir+"scaling_cur_freq"); got != "3000000" {
		t.Errorf("a refused request shows as %s", got)
	}
	fault(t, "cap_khz", "1500000")
	if got := read(t, dir+"cpuinfo_cur_freq"); got != "1500000" {
		t.Errorf("capped at 1500000, runs at %s", got)
	}
}

// TestPlatform calculates a load's times and powers from the documentation in model.c. The kernel's
// own work adds to them: it never waits for memory, and takes four times as long at the lowest
// frequency.
func TestPlatform(t *testing.T) {
	settle(t)
	within := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 0.025 {
			t.Errorf("%s: %.4f, want %.4f", what, got, want)
		}
	}
	for _, c := range []struct {
		load  load
		waits float64 // share of the time at the highest frequency
	}{{computeBound, 0}, {memoryBound, 0.9}} {
		top := at(t, 4000000, c.load.of(short)).time.Seconds()
		for _, khz := range []int{4000000, 3000000, 2000000, 1000000} {
			u := at(t, khz, c.load.of(short))
			f := float64(khz) / 4e6
			v := (650 + 550*(float64(khz)-1e6)/3e6) / 1200
			stretch := c.waits + (1-c.waits)/f
			waiting := c.waits / stretch
			name := fmt.Sprint(c.load.phases, " at ", khz, " kHz: ")
			within(name+"time as a multiple", u.time.Seconds()/top, stretch)
			within(name+"package's W", u.package_/u.time.Seconds(),
				2.5+4*v*v*v+12*f*v*v*(1-0.6*waiting))
			within(name+"memory's W", u.dram/u.time.Seconds(), 1.5+2.5*waiting)
		}
	}
}

// says checks that a page has the phrases, wherever its lines break.
func says(t *testing.T, page string, phrases ...string) {
	t.Helper()
	page = strings.Join(strings.Fields(page), " ")
	for _, p := range phrases {
		if !strings.Contains(page, p) {
			t.Errorf("it does not say %q: %s", p, page)
		}
	}
}
