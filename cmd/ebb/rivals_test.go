package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// procOf is a tree at /proc with one process.
func procOf(t *testing.T, comm string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "812")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stat"), []byte("812 ("+comm+") S 1 812 812 0 -1\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(dir)
}

// bed is a machine of files.
type bed struct {
	t                       *testing.T
	tree, runDir, out, proc string
}

func newBed(t *testing.T, comm string) *bed {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	dir := t.TempDir()
	return &bed{t, devtest.Tree(t, devtest.Desktop), filepath.Join(dir, "run"),
		filepath.Join(dir, "r.json"), procOf(t, comm)}
}

// governed runs ebb on the machine and returns status, standard error and the report, nil without
// one.
func (b *bed) governed(flags []string, argv ...string) (command.Status, string, *report.Report) {
	b.t.Helper()
	_ = os.Remove(b.out)
	args := append([]string{"run", "--sysfs", b.tree, "--procfs", b.proc, "--run-dir", b.runDir,
		"--report", b.out}, flags...)
	var errs bytes.Buffer
	code := ebb(append(append(args, "--"), argv...),
		command.Stdio{In: os.Stdin, Out: os.Stdout, Err: &errs})
	text, err := os.ReadFile(b.out)
	if err != nil {
		return code, errs.String(), nil
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		b.t.Fatal(err)
	}
	return code, errs.String(), &r
}

// says is what a control of the machine says.
func (b *bed) says(file string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0", file))
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestRivals(t *testing.T) {
	b := newBed(t, "power-profiles-")
	code, errs, r := b.governed(nil, "true")
	if code != command.Failed || r != nil || strings.Count(errs, "\n") != 1 ||
		!strings.Contains(errs, "power-profiles-daemon (pid 812)") ||
		!strings.Contains(errs, "--takeover") {
		t.Errorf("status %d, %q, report %v", code, errs, r)
	}
	if got := b.says("scaling_governor"); got != "schedutil" {
		t.Errorf("the governor is %s", got)
	}
	if _, err := os.Stat(b.runDir); !os.IsNotExist(err) {
		t.Errorf("a run directory was made (%v)", err)
	}
	code, errs, r = b.governed([]string{"--takeover"}, "true")
	if code != command.OK || r == nil || r.Actuator != "setspeed" || len(r.Rivals) != 1 ||
		!strings.Contains(errs, "power-profiles-daemon (pid 812) may set") {
		t.Errorf("--takeover: status %d, %q, %+v", code, errs, r)
	}
	code, errs, r = b.governed([]string{"--shadow"}, "true")
	if code != command.OK || r == nil || r.Actuator != "shadow" || len(r.Rivals) != 1 ||
		!strings.Contains(errs, "different clocks") {
		t.Errorf("--shadow: status %d, %q, %+v", code, errs, r)
	}
	b.tree = devtest.Tree(
		t, "file 0444 devices/system/cpu/online\n\t0-1\ndir devices/system/cpu/cpufreq\n",
	)
	code, errs, r = b.governed(nil, "true")
	if code != command.OK || r == nil || r.Actuator != "shadow" ||
		!strings.Contains(errs, "different clocks") {
		t.Errorf("without frequency control: status %d, %q, %+v", code, errs, r)
	}
	b = newBed(t, "harmless")
	if code, errs, r = b.governed(nil, "true"); code != command.OK || r == nil ||
		len(r.Rivals) != 0 || r.Actuator != "setspeed" {
		t.Errorf("without a rival: status %d, %q, %+v", code, errs, r)
	}
}

// TestUnknownSettleTimeIsReported: a tree of files has no clock to measure. The summary says so,
// and quantum and hold-off keep their defaults.
func TestUnknownSettleTimeIsReported(t *testing.T) {
	b := newBed(t, "harmless")
	code, errs, r := b.governed(nil, "true")
	if code != command.OK || r == nil {
		t.Fatalf("status %d, %q", code, errs)
	}
	if !strings.Contains(errs, "settle time unknown") || r.SettleNote == "" ||
		r.SettleP99NS != 0 || r.SettleSource != "" {
		t.Errorf("%q, %+v", errs, r)
	}
	if r.QuantumNS != 5e6 || r.HoldOff != 1 {
		t.Errorf("quantum %d ns, hold-off %d", r.QuantumNS, r.HoldOff)
	}
	code, errs, r = b.governed([]string{"--settle", "8ms"}, "true")
	if code != command.OK || r == nil || r.SettleP99NS != 8e6 || r.SettleSource != "given" ||
		r.QuantumNS != 30e6 || r.HoldOff != 2 || strings.Contains(errs, "not known") {
		t.Errorf("--settle: status %d, %q, %+v", code, errs, r)
	}
	if got := b.says("scaling_governor"); got != "schedutil" {
		t.Errorf("the governor is %s", got)
	}
}

// TestForeignChangesAreReported: when another program changes a control while ebb governs, the
// report has the change, and ebb leaves it.
func TestForeignChangesAreReported(t *testing.T) {
	b := newBed(t, "harmless")
	policy := filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0")
	script := `i=0; while [ $i -lt 40 ]; do i=$((i+1)); sleep 0.01; [ $i = 10 ] && echo 1234000 >` +
		policy + `/scaling_setspeed; [ $i = 25 ] && echo 1111000 >` + policy +
		`/scaling_setspeed; done; true`
	code, errs, r := b.governed([]string{"--frequency", "2GHz"}, "sh", "-c", script)
	if code != command.OK || r == nil {
		t.Fatalf("status %d, %q", code, errs)
	}
	if len(r.Foreign) != 1 || r.Foreign[0].Control != "scaling_setspeed" ||
		r.Foreign[0].Times < 1 || r.Foreign[0].Yielded {
		t.Errorf("%+v\n%s", r.Foreign, errs)
	}
	if !strings.Contains(errs, "another program changed scaling_setspeed") {
		t.Errorf("the summary does not report the change: %s", errs)
	}
	for file, want := range map[string]string{"scaling_governor": "schedutil",
		"scaling_min_freq": "1000000", "scaling_max_freq": "4000000"} {
		if got := b.says(file); got != want {
			t.Errorf("afterwards %s is %s, want %s", file, got, want)
		}
	}
}
