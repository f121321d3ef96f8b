package vm

import (
	"os"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "driver ebb-platform", "1GHz to 4GHz in 25 states", "package-0 (powercap), dram-0 (powercap)", "would try setspeed",
		"cycles, instructions, stall_lo_cycles, occ_hi_cycles, store_full_cycles, store_rfo_cycles (events of Skylake-SP)")
	if r.code != 0 || r.err != "" {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
}

// What package cpufreq reckons with, and its tests' model of a kernel says, is what a kernel does.
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

// The slow-down is what the platform says it is, and so is the energy's direction.
func TestPlatform(t *testing.T) {
	settle(t)
	for _, c := range []struct {
		load load
		khz  int
		want float64
	}{
		{computeBound, 2000000, 2}, {computeBound, 1000000, 4}, {memoryBound, 2000000, 1.1}, {memoryBound, 1000000, 1.3},
	} {
		top, u := at(t, 4000000, c.load.of(short)), at(t, c.khz, c.load.of(short))
		if got := u.time.Seconds() / top.time.Seconds(); got < c.want*0.98 || got > c.want*1.02 {
			t.Errorf("%v at %d kHz takes %.3f times as long, want %.2f", c.load, c.khz, got, c.want)
		}
		if u.package_ >= top.package_ {
			t.Errorf("%v at %d kHz: %v, at the highest frequency %v", c.load, c.khz, u, top)
		}
	}
}

// says checks that a page has the phrases, wherever its lines break.
func says(t *testing.T, page string, phrases ...string) {
	t.Helper()
	page = strings.Join(strings.Fields(page), " ")
	for _, p := range phrases {
		if !strings.Contains(page, p) {
			t.Errorf("it does not say %q", p)
		}
	}
}
