package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// meterTree makes a tree of /sys for zones of energy, with no clock to set.
func meterTree(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	cpus := filepath.Join(root, "devices/system/cpu/cpufreq")
	if err := os.MkdirAll(cpus, 0o755); err != nil {
		t.Fatal(err)
	}
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(cpus), "online"), online, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// meterZone adds a zone whose counter wraps at span uJ.
func meterZone(t *testing.T, root, id, name string, span int64) *os.File {
	t.Helper()
	dir := filepath.Join(root, "class/powercap", id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"name": name,
		"max_energy_range_uj": fmt.Sprint(span), "constraint_0_name": "long_term"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(dir, "energy_uj"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// show has a zone's counter show a value.
func show(t *testing.T, f *os.File, v int64) {
	if _, err := f.WriteAt(fmt.Appendf(nil, "%012d\n", v), 0); err != nil {
		t.Error(err)
	}
}

// TestMeasuredEnergy runs ebb on a tree in which a meter counts 40 W and wraps around twice a
// second, and another stands still.
func TestMeasuredEnergy(t *testing.T) {
	needRoot(t)
	root := meterTree(t)
	const span, watts = 100_000_000, 40 // uJ: a wrap each 2.5 s
	energy := meterZone(t, root, "intel-rapl:0", "package-0", span)
	show(t, energy, span-1)
	show(t, meterZone(t, root, "intel-rapl:0:0", "dram", 1000*span), 7)
	path := filepath.Join(t.TempDir(), "r.json")
	var res result
	start := time.Now()
	for seconds := 3.1; seconds < 60; seconds *= 2 {
		stop, still := make(chan bool), make(chan time.Duration)
		last, longest := time.Now(), time.Duration(0)
		go func() {
			for ; ; time.Sleep(time.Millisecond) {
				select {
				case <-stop:
					still <- max(longest, time.Since(last))
					return
				default:
					now := time.Now()
					longest, last = max(longest, now.Sub(last)), now
					show(t, energy, (span-1+int64(now.Sub(start)/time.Microsecond)*watts)%span)
				}
			}
		}()
		res = ebb(t, "run", "-v", "--sysfs", root, "--report", path, "--", "sleep",
			fmt.Sprint(seconds))
		close(stop)
		// The writer may be late by some time slices, which count for less in a longer run.
		if (<-still).Seconds() < seconds/60 {
			break
		}
	}
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	r := readReport(t, path)
	found := 0
	for _, e := range r.Energy {
		if e.Source != "measured" {
			continue
		}
		switch found++; e.Zone {
		case "package-0":
			if w := float64(e.EnergyNJ) / float64(r.WallNS); w < 38 || w > 42 {
				t.Errorf("%s: %.2f W, want %d", e.Zone, w, watts)
			}
			if e.MaxFreqNJ != 0 {
				t.Errorf("%s: an estimate of another clock, though ebb set none", e.Zone)
			}
		case "dram-0":
			if e.EnergyNJ != 0 || !e.Frozen {
				t.Errorf("%s stood still: %+v", e.Zone, e)
			}
		default:
			t.Errorf("zone %q", e.Zone)
		}
	}
	if found != 2 {
		t.Errorf("%d measured zones, want 2", found)
	}
	for _, want := range []string{"package-0: ", "whole machine (RAPL by powercap)", "dram-0: 0 J",
		"stood still"} {
		if !strings.Contains(unbroken(res.stderr), want) {
			t.Errorf("the summary does not say %q:\n%s", want, res.stderr)
		}
	}
}
