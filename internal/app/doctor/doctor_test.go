package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// diagnose examines a machine and returns the findings by name.
func diagnose(t *testing.T, d Doctor) map[string]Finding {
	t.Helper()
	by, _ := findings(t, d)
	return by
}

// findings are by name and in order.
func findings(t *testing.T, d Doctor) (by map[string]Finding, all []Finding) {
	t.Helper()
	by, all = map[string]Finding{}, d.Examine()
	for _, f := range all {
		if f.What == "" || f.Detail == "" ||
			(f.State != Good && f.State != Warning && f.State != Missing) {
			t.Errorf("finding %+v", f)
		}
		by[f.What] = f
	}
	return by, all
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
		{"acpi-cpufreq", "actuator", Good,
			"would try setspeed (driver acpi-cpufreq has the userspace governor"},
		{"acpi-cpufreq", "states", Good, "1.6 GHz to 4.2 GHz in 5 states, boost on"},
		{"acpi-cpufreq", "settle time", Warning, "not measured"},
		{"intel_pstate-hwp", "actuator", Good, "would try clamp ("},
		{"intel_pstate-hwp", "frequency", Good, "by an energy preference"},
		{"intel_cpufreq-hwp", "actuator", Good, "before Linux 6.17"},
		{"amd-pstate-epp", "actuator", Good, "amd-pstate-epp chooses frequencies itself"},
		{"amd-pstate", "states", Good, "steps between its limits"},
		{"cppc_cpufreq", "actuator", Good, "modprobe cpufreq_userspace"},
		{"vm", "frequency", Missing, "no frequency domain"},
		{"vm", "settle time", Missing, "no frequency that ebb could set"},
		{"vm", "states", Missing, "virtual processor"},
	} {
		text, err := os.ReadFile(filepath.Join("../../../cpufreq/testdata/trees", c.tree+".tree"))
		if err != nil {
			t.Fatal(err)
		}
		tree := devtest.Tree(t, string(text))
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

// TestDoctorSeesOneClock: limits that leave nothing to choose are a warning, which names the file.
func TestDoctorSeesOneClock(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("whether the files may be written is another question then")
	}
	const policy = "devices/system/cpu/cpufreq/policy0/"
	text, err := os.ReadFile("../../../cpufreq/testdata/trees/amd-pstate-epp.tree")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, kHz, file string }{
		{"scaling_max_freq", "400000", policy + "scaling_max_freq"},
		{"scaling_min_freq", "5132000", policy + "scaling_min_freq"},
	} {
		tree := devtest.Tree(t, string(text))
		policies, err := filepath.Glob(filepath.Join(tree, "devices/system/cpu/cpufreq/policy*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range policies {
			for _, limit := range []string{"scaling_min_freq", "scaling_max_freq"} {
				if err := os.WriteFile(filepath.Join(p, limit), []byte(c.kHz+"\n"),
					0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		by := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: t.TempDir()})
		f := by[run]
		if by["tracing"].State == Good && (f.State != Warning || f.Advice != "widen "+c.file ||
			!strings.Contains(f.Detail, "one clock to choose from")) {
			t.Errorf("%s at %s kHz: %+v", c.name, c.kHz, f)
		}
		if f := by["states"]; f.State != Missing || !strings.Contains(f.Advice, c.file) {
			t.Errorf("%s at %s kHz: %+v", c.name, c.kHz, f)
		}
	}
}

// TestDoctorSeesPercent: states and the clock that ebb would set lie within intel_pstate's own
// limit, and a policy without a file is a warning.
func TestDoctorSeesPercent(t *testing.T) {
	text, err := os.ReadFile("../../../cpufreq/testdata/trees/amd-pstate-epp.tree")
	if err != nil {
		t.Fatal(err)
	}
	tree := devtest.Tree(t, string(text)+
		"file 0644 devices/system/cpu/intel_pstate/max_perf_pct\n\t50\n")
	by := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: t.TempDir()})
	f := by["states"]
	_, most, _ := strings.Cut(f.Detail, "max_perf_pct keeps the clock at ")
	most, _, _ = strings.Cut(most, " of ")
	if most == "" || !strings.Contains(f.Detail, " to "+most+" in ") {
		t.Errorf("%+v", f)
	}
	if f := by[run]; f.State == Good && !strings.Contains(f.Detail, " to "+most+", so that") {
		t.Errorf("within %s: %+v", most, f)
	}
	const policy = "devices/system/cpu/cpufreq/policy0"
	if err := os.Remove(filepath.Join(tree, policy, "scaling_max_freq")); err != nil {
		t.Fatal(err)
	}
	by = diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: t.TempDir()})
	if f := by[run]; by["tracing"].State == Good && os.Geteuid() == 0 && (f.State != Warning ||
		!strings.Contains(f.Detail, "the CPUs of "+policy)) {
		t.Errorf("without a file: %+v", f)
	}
}

// TestDoctorSeesUnevenLimits: a limit for some CPUs alone is a warning, which names the file.
func TestDoctorSeesUnevenLimits(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("whether the files may be written is another question then")
	}
	text, err := os.ReadFile("../../../cpufreq/testdata/trees/amd-pstate-epp.tree")
	if err != nil {
		t.Fatal(err)
	}
	tree := devtest.Tree(t, string(text))
	fs, err := sysfs.Open(tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Close() })
	host, err := cpufreq.Open(fs)
	if err != nil {
		t.Fatal(err)
	}
	d := &host.Domains[len(host.Domains)-1]
	file := d.ID.Dir() + "/scaling_max_freq"
	if err := os.WriteFile(filepath.Join(tree, file), fmt.Appendf(nil, "%d\n", d.Min/1000),
		0o644); err != nil {
		t.Fatal(err)
	}
	by := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: t.TempDir()})
	for _, name := range []string{run, "states"} {
		if f := by[name]; (name != run || by["tracing"].State == Good) && (f.State != Warning ||
			!strings.Contains(f.Detail, file+" keeps its CPUs at "+d.Min.Text())) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestDoctorNamesRivals(t *testing.T) {
	tree := devtest.Tree(t, devtest.Desktop)
	proc := devtest.Tree(t, "file 0444 812/stat\n\t812 (thermald) S 1 812 812 0 -1\n")
	runDir := filepath.Join(t.TempDir(), "run")
	by, all := findings(t, Doctor{Sysfs: tree, Proc: proc, RunDir: runDir})
	if f := by["rivals"]; f.State != Warning ||
		!strings.Contains(f.Detail, "thermald (pid 812) lowers limits") ||
		!strings.Contains(f.Advice, "systemctl stop thermald") {
		t.Errorf("%+v", f)
	}
	if f := by["ebb run"]; os.Geteuid() == 0 &&
		(f.State != Missing || !strings.Contains(f.Detail, "--takeover") || Works(all) ||
			!strings.Contains(next(all), "systemctl stop thermald")) {
		t.Errorf("%+v", f)
	}
	alone := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: runDir})
	if f := alone["rivals"]; f.State != Good {
		t.Errorf("%+v", f)
	}
}

// TestDoctorCountsCPUs: CPU 0 alone is one CPU, and a list is no number.
func TestDoctorCountsCPUs(t *testing.T) {
	for _, c := range []struct {
		online string
		cpus   int
		says   string
	}{
		{"0", 1, "1 online (0), 1 core, 1 package"},
		{"0-1,3", 4, "3 online (0-1,3), 3 cores, 1 package"},
	} {
		text := "file 0444 devices/system/cpu/online\n\t" + c.online + "\n"
		for cpu := range c.cpus {
			topology := fmt.Sprintf("file 0444 devices/system/cpu/cpu%d/topology/", cpu)
			text += topology + "physical_package_id\n\t0\n" + topology +
				fmt.Sprintf("core_cpus_list\n\t%d\n", cpu)
		}
		f := diagnose(t, Doctor{Sysfs: devtest.Tree(t, text), Proc: t.TempDir(),
			RunDir: t.TempDir()})["CPUs"]
		if f.State != Good || !strings.HasPrefix(f.Detail, c.says) {
			t.Errorf("%s: %+v, want %q", c.online, f, c.says)
		}
	}
}

// TestDoctorNamesLockdown: what the kernel keeps even from root, by its own word.
func TestDoctorNamesLockdown(t *testing.T) {
	for level, says := range map[string]string{
		"[none] integrity confidentiality": "none",
		"none [integrity] confidentiality": "lockdown (integrity): tracing, governing, --methods",
		"none integrity [confidentiality]": "lockdown (confidentiality): tracing, governing, ",
	} {
		tree := devtest.Tree(t, "file 0444 kernel/security/lockdown\n\t"+level+"\n")
		f := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: t.TempDir()})["lockdown"]
		if f.State != Good || !strings.HasPrefix(f.Detail, says) {
			t.Errorf("%s: %+v, want %q", level, f, says)
		}
	}
}

// TestDoctorReportsHeat: the doctor reports a clock that heat limits, but not a turning fan.
func TestDoctorReportsHeat(t *testing.T) {
	for device, hot := range map[string]bool{"Processor 1": true, "cpufreq-cpu0 3": true,
		"Processor 0": false, "Fan 1": false} {
		kind, state, _ := strings.Cut(device, " ")
		tree := devtest.Tree(t, devtest.Desktop+
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
	tree, runDir := devtest.Tree(t, devtest.Desktop), filepath.Join(t.TempDir(), "run")
	before := contents(t, tree)
	f := diagnose(t, Doctor{Sysfs: tree, Proc: t.TempDir(), RunDir: runDir,
		Measure: true})["settle time"]
	if f.State != Warning || !strings.Contains(f.Detail, "no tree of this machine's kernel") {
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

// TestNext: the page ends with what helps most.
func TestNext(t *testing.T) {
	with := func(run, other Finding) []Finding {
		run.What, other.What = "ebb run", "other ebb"
		return []Finding{other, run}
	}
	for says, findings := range map[string][]Finding{
		"refuse: run it as root": with(Finding{State: Missing, Advice: "run it as root"},
			Finding{}),
		"refuse: see above":       nil,
		"sudo ebb restore, and":   with(Finding{State: Good}, Finding{Advice: "sudo ebb restore"}),
		"widen it, and then sudo": with(Finding{State: Warning, Advice: "widen it"}, Finding{}),
		"without setting":         with(Finding{State: Warning}, Finding{}),
		"sudo ebb run -- COMMAND": with(Finding{State: Good}, Finding{}),
	} {
		if got := next(findings); !strings.Contains(got, says) {
			t.Errorf("%+v: %q, want %q", findings, got, says)
		}
		if Works(findings) == strings.Contains(says, "refuse") {
			t.Errorf("%+v: works: %v", findings, Works(findings))
		}
	}
}

// TestDoctorTriesToRunAhead: a kernel that refuses SCHED_RR to a process with CAP_SYS_NICE, as in
// a cgroup without a real-time share, makes the finding a warning.
func TestDoctorTriesToRunAhead(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	allowed := examineCapabilities(func() error { return nil })
	refused := examineCapabilities(func() error { return unix.EPERM })
	if !strings.Contains(allowed.Detail, "with CAP_BPF, CAP_PERFMON, CAP_SYS_NICE") {
		t.Skip("without the capabilities nothing is tried: ", allowed.Detail)
	}
	if allowed.State != Good || refused.State != Warning ||
		!strings.Contains(refused.Detail, "SCHED_RR is refused (operation not permitted)") ||
		!strings.Contains(refused.Advice, "cpu.rt_runtime_us") {
		t.Errorf("allowed: %+v; refused: %+v", allowed, refused)
	}
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := runAhead(); err != nil {
		t.Log("here: ", err)
	}
	if attr, err := unix.SchedGetAttr(0, 0); err != nil || attr.Policy != before.Policy {
		t.Errorf("the thread had %+v, and has %+v, %v", before, attr, err)
	}
}
