package cpufreq

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

func openTree(t *testing.T, text string) *sysfs.FS {
	t.Helper()
	fs, err := sysfs.Open(devtest.Tree(t, text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	return fs
}

func tree(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "trees", name+".tree"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestProbe(t *testing.T) {
	for _, c := range []struct {
		tree    string
		want    []string // the order in which they would be tried
		because string   // part of the first one's reason
		states  int
		lowest  units.Frequency
		highest units.Frequency
		boost   Boost
	}{
		{"acpi-cpufreq", []string{SetSpeed, Clamp, Shadow},
			"driver acpi-cpufreq has the userspace governor", 5, 1600 * mhz, 4200 * mhz, BoostOn},
		{"intel_pstate-hwp", []string{Clamp, Shadow}, "intel_pstate chooses frequencies itself", 40,
			800 * mhz, 4700 * mhz, BoostOn},
		{"intel_cpufreq-hwp", []string{Clamp, Shadow}, "only a lower bound before Linux 6.17", 40,
			800 * mhz, 4700 * mhz, BoostOn},
		{"intel_cpufreq", []string{SetSpeed, Clamp, Shadow}, "intel_cpufreq", 15, 1200 * mhz,
			2600 * mhz, BoostOff},
		{"amd-pstate-epp", []string{Clamp, Shadow}, "amd-pstate-epp chooses", 27, 400 * mhz,
			3000 * mhz, BoostUnknown},
		{"amd-pstate", []string{SetSpeed, Clamp, Shadow}, "amd-pstate", 46, 400 * mhz, 4900 * mhz,
			BoostUnknown},
		{"cppc_cpufreq", []string{Clamp, Shadow}, "modprobe cpufreq_userspace", 21, 1000 * mhz,
			3000 * mhz, BoostUnknown},
	} {
		h, err := Open(openTree(t, tree(t, c.tree)))
		if err != nil {
			t.Errorf("%s: %v", c.tree, err)
			continue
		}
		var names []string
		choices := h.Probe(nil)
		for _, choice := range choices {
			names = append(names, choice.Name)
		}
		if !reflect.DeepEqual(names, c.want) || !strings.Contains(choices[0].Reason, c.because) {
			t.Errorf("%s: %+v, want %v because %q", c.tree, choices, c.want, c.because)
		}
		states := h.States(nil)
		if len(states) != c.states || states[0] != c.lowest || states[len(states)-1] != c.highest {
			t.Errorf("%s: %d states %v", c.tree, len(states), states)
		}
		if h.Domains[0].Boost != c.boost {
			t.Errorf("%s: boost %v", c.tree, h.Domains[0].Boost)
		}
	}
}

func TestNoPolicies(t *testing.T) {
	for _, text := range []string{tree(t, "vm"), "dir devices/system/cpu\n"} {
		fs := openTree(t, text)
		if _, err := Open(fs); !errors.Is(err, ErrNone) {
			t.Errorf("got %v", err)
		}
		run := filepath.Join(t.TempDir(), "run")
		a, err := Start(fs, Config{RunDir: run})
		if err != nil || a.Name() != Shadow || a.Reason() != ErrNone.Error() {
			t.Fatalf("%v, %v", a, err)
		}
		if _, err := os.Stat(run); !os.IsNotExist(err) {
			t.Error("the shadow actuator made a run directory")
		}
	}
}

func TestDomainsInUse(t *testing.T) {
	h, err := Open(openTree(t, tree(t, "intel_pstate-hwp")))
	if err != nil {
		t.Fatal(err)
	}
	if c := h.Probe([]sysfs.CPU{9}); len(c) != 1 || c[0].Name != Shadow {
		t.Errorf("a CPU in no domain: %+v", c)
	}
	if c := h.Probe([]sysfs.CPU{1}); c[0].Name != Clamp {
		t.Errorf("CPU 1: %+v", c)
	}
	if s := h.States([]sysfs.CPU{9}); s != nil {
		t.Errorf("states of no domain: %v", s)
	}
}
