package cpufreq

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

func TestDomain(t *testing.T) {
	h, err := Open(openTree(t, tree(t, "acpi-cpufreq")))
	if err != nil {
		t.Fatal(err)
	}
	want := []Domain{{
		ID: 0, CPUs: []sysfs.CPU{0, 1, 2, 3}, Online: []sysfs.CPU{0, 1, 2, 3},
		Driver: "acpi-cpufreq", Governor: "schedutil",
		Governors: []string{"conservative", "ondemand", "userspace", "powersave", "performance",
			"schedutil"},
		Min: 1600 * mhz, Max: 4200 * mhz, HardwareMin: 1600 * mhz, HardwareMax: 4200 * mhz,
		States: []units.Frequency{1600 * mhz, 2200 * mhz, 2800 * mhz, 3600 * mhz, 4200 * mhz},
		Boost:  BoostOn,
	}}
	if !reflect.DeepEqual(h.Domains, want) {
		t.Errorf("got %+v", h.Domains)
	}
}

// One missing or damaged file costs what it would have said, and no more.
func TestADamagedFileCostsOnlyItsContent(t *testing.T) {
	const dir = "devices/system/cpu/cpufreq/policy0/"
	for _, c := range []struct {
		file, content string
		skipped       bool
	}{
		{"related_cpus", "x", false},
		{"cpuinfo_max_freq", "-5", false},
		{"scaling_available_frequencies", "one two", false},
		{"scaling_available_governors", "", false},
		{"scaling_governor", "", true},
		{"scaling_min_freq", "<unknown>", true},
		{"scaling_max_freq", "0", true},
		{"scaling_max_freq", "99999999999", true},
		{"scaling_min_freq", "5000000", true}, // above the maximum
	} {
		root := devtest.Tree(t, tree(t, "acpi-cpufreq")+
			"file 0644 devices/system/cpu/cpufreq/policy7/scaling_governor\n\tschedutil\n"+
			"file 0644 devices/system/cpu/cpufreq/policy7/scaling_min_freq\n\t1000000\n"+
			"file 0644 devices/system/cpu/cpufreq/policy7/scaling_max_freq\n\t2000000\n")
		path := filepath.Join(root, dir+c.file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.content != "" {
			if err := os.WriteFile(path, []byte(c.content+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		fs, err := sysfs.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(fs)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		if got := len(h.Skipped) == 1; got != c.skipped || len(h.Domains)+len(h.Skipped) != 2 {
			t.Errorf("%s %q: domains %+v, skipped %v", c.file, c.content, h.Domains, h.Skipped)
		}
		l, unread := h.Limits(nil), ""
		if c.skipped {
			unread = "devices/system/cpu/cpufreq/policy0"
		}
		if l.Unread != unread || c.skipped && !h.Skipped[0].Online {
			t.Errorf("%s %q: limits %+v, skipped %v", c.file, c.content, l, h.Skipped)
		}
		last := h.Domains[len(h.Domains)-1]
		if last.ID != 7 || len(last.States) != 11 || !last.Synthesised || last.CPUs[0] != 7 {
			t.Errorf("the policy with nothing but its controls: %+v", last)
		}
		fs.Close()
	}
}

// On a hybrid machine the states are those of the domain that reaches the highest frequency.
func TestHybridStatesAreTheFastestDomains(t *testing.T) {
	h := &Host{Domains: []Domain{
		{ID: 0, CPUs: []sysfs.CPU{0}, Min: 1 * ghz, Max: 2 * ghz,
			States: []units.Frequency{1 * ghz, 2 * ghz}},
		{ID: 1, CPUs: []sysfs.CPU{1}, Min: 1 * ghz, Max: 3 * ghz,
			States: []units.Frequency{1 * ghz, 3 * ghz}},
	}}
	if got := h.States(nil); !reflect.DeepEqual(got, []units.Frequency{1 * ghz, 3 * ghz}) {
		t.Errorf("got %v", got)
	}
	if got := h.States([]sysfs.CPU{0}); !reflect.DeepEqual(got,
		[]units.Frequency{1 * ghz, 2 * ghz}) {
		t.Errorf("got %v", got)
	}
}

func TestStates(t *testing.T) {
	for _, c := range []struct{ lo, hi, first, second, last units.Frequency }{
		{800 * mhz, 1050 * mhz, 800 * mhz, 900 * mhz, 1050 * mhz},
		{799 * mhz, 2 * ghz, 799 * mhz, 800 * mhz, 2 * ghz},
		{1 * ghz, 1 * ghz, 1 * ghz, 0, 1 * ghz},
	} {
		s := synthesise(c.lo, c.hi)
		if s[0] != c.first || s[len(s)-1] != c.last || len(s) > 1 && s[1] != c.second {
			t.Errorf("synthesise(%d, %d) = %v", c.lo, c.hi, s)
		}
	}
	if n := len(synthesise(1*mhz, maxFrequency)); n > maxStates+1 {
		t.Errorf("%d states", n)
	}
	d := Domain{Min: 1100 * mhz, Max: 1900 * mhz, States: []units.Frequency{1 * ghz, 2 * ghz}}
	if got := d.allowed(); !reflect.DeepEqual(got, []units.Frequency{1900 * mhz}) {
		t.Errorf("limits without a state between them: %v", got)
	}
	states := []units.Frequency{1 * ghz, 2 * ghz, 3 * ghz}
	for f, want := range map[units.Frequency]units.Frequency{0: 1 * ghz, 1 * ghz: 1 * ghz,
		1*ghz + 1: 2 * ghz, 3 * ghz: 3 * ghz, 4 * ghz: 3 * ghz} {
		if got := atLeast(states, f); got != want {
			t.Errorf("atLeast(%d) = %d, want %d", f, got, want)
		}
	}
}
