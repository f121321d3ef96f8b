package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/sysfs/sysfstest"
)

// diagnose examines a machine and returns the findings by name.
func diagnose(t *testing.T, d Doctor) map[string]Finding {
	t.Helper()
	by := map[string]Finding{}
	for _, f := range d.Examine() {
		if f.What == "" || f.Detail == "" ||
			(f.State != "yes" && f.State != "no" && f.State != "unknown") {
			t.Errorf("finding %+v", f)
		}
		by[f.What] = f
	}
	return by
}

// contents are all files of a tree.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDoctorOnKnownMachines: the trees of cpufreq's own tests.
func TestDoctorOnKnownMachines(t *testing.T) {
	none := t.TempDir()
	for _, c := range []struct{ tree, what, state, has string }{
		{"acpi-cpufreq", "actuator", "yes",
			"would try setspeed (driver acpi-cpufreq has the userspace governor"},
		{"acpi-cpufreq", "states", "yes", "1.6GHz to 4.2GHz in 5 states, boost on"},
		{"acpi-cpufreq", "settle time", "unknown", "not measured"},
		{"intel_pstate-hwp", "actuator", "yes", "would try clamp ("},
		{"intel_pstate-hwp", "frequency", "yes", "by an energy preference"},
		{"intel_cpufreq-hwp", "actuator", "yes", "before Linux 6.17"},
		{"amd-pstate-epp", "actuator", "yes", "amd-pstate-epp chooses frequencies itself"},
		{"amd-pstate", "states", "yes", "steps between its limits"},
		{"cppc_cpufreq", "actuator", "yes", "modprobe cpufreq_userspace"},
		{"vm", "frequency", "no", "no frequency domain"},
		{"vm", "settle time", "no", "no frequency that ebb could set"},
		{"vm", "states", "no", "virtual processor"},
	} {
		text, err := os.ReadFile(filepath.Join("../cpufreq/testdata/trees", c.tree+".tree"))
		if err != nil {
			t.Fatal(err)
		}
		tree := sysfstest.Make(t, string(text))
		before := contents(t, tree)
		runDir := filepath.Join(t.TempDir(), "run")
		f := diagnose(t, Doctor{Sysfs: tree, Proc: none, RunDir: runDir})[c.what]
		if os.Geteuid() != 0 && c.what == "actuator" {
			continue // which of the files may be written is another question then
		}
		if f.State != c.state || !strings.Contains(f.Detail, c.has) {
			t.Errorf("%s: %+v, want %s and %q in it", c.tree, f, c.state, c.has)
		}
		for path, text := range contents(t, tree) {
			if before[path] != text {
				t.Errorf("%s: the doctor changed %s", c.tree, path)
			}
		}
		if _, err := os.Stat(runDir); !os.IsNotExist(err) {
			t.Errorf("%s: the doctor made a run directory", c.tree)
		}
	}
}

func TestDoctorNamesRivals(t *testing.T) {
	tree := sysfstest.Make(t, sysfstest.Desktop)
	proc := sysfstest.Make(t, "file 0444 812/stat\n\t812 (thermald) S 1 812 812 0 -1\n")
	runDir := filepath.Join(t.TempDir(), "run")
	by := diagnose(t, Doctor{Sysfs: tree, Proc: proc, RunDir: runDir})
	if f := by["rivals"]; f.State != "yes" ||
		!strings.Contains(f.Detail, "thermald (pid 812) lowers limits") ||
		!strings.Contains(f.Advice, "systemctl stop thermald") {
		t.Errorf("%+v", f)
	}
	if f := by["ebb run"]; os.Geteuid() == 0 &&
		(f.State != "no" || !strings.Contains(f.Detail, "--takeover")) {
		t.Errorf("%+v", f)
	}
	alone := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: runDir})
	if f := alone["rivals"]; f.State != "no" {
		t.Errorf("%+v", f)
	}
}

// TestDoctorReportsHeat: the doctor reports a clock that heat limits, but not a turning fan.
func TestDoctorReportsHeat(t *testing.T) {
	for device, hot := range map[string]bool{"Processor 1": true, "cpufreq-cpu0 3": true,
		"Processor 0": false, "Fan 1": false} {
		kind, state, _ := strings.Cut(device, " ")
		tree := sysfstest.Make(t, sysfstest.Desktop+
			"file 0444 class/thermal/cooling_device0/type\n\t"+kind+
			"\nfile 0444 class/thermal/cooling_device0/cur_state\n\t"+state+"\n")
		f := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(),
			RunDir: filepath.Join(t.TempDir(), "run")})["states"]
		if got := strings.Contains(f.Detail, "heat holds the clock back"); got != hot {
			t.Errorf("%s: %+v", device, f)
		}
	}
}

// TestDoctorMeasuresNoFiles: a tree of files has no clock to measure; the doctor changes nothing.
func TestDoctorMeasuresNoFiles(t *testing.T) {
	tree, runDir := sysfstest.Make(t, sysfstest.Desktop), filepath.Join(t.TempDir(), "run")
	before := contents(t, tree)
	f := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: runDir,
		Measure: true})["settle time"]
	if f.State != "unknown" || !strings.Contains(f.Detail, "no tree of this machine's kernel") {
		t.Errorf("%+v", f)
	}
	for path, text := range contents(t, tree) {
		if before[path] != text {
			t.Errorf("%s is %q, was %q", path, text, before[path])
		}
	}
	if _, err := os.Stat(runDir); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there (%v)", err)
	}
}
