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

// TestDecisionsAreActedOn runs the command on a machine with a frequency control, as far as files
// can be one.
func TestDecisionsAreActedOn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tree := devtest.Tree(t, devtest.Desktop)
	dir := t.TempDir()
	runDir, out := filepath.Join(dir, "run"), filepath.Join(dir, "r.json")
	policy := filepath.Join(tree, "devices/system/cpu/cpufreq/policy0")
	var errs bytes.Buffer
	// Sleeps between short bursts: waiting does not scale, so that a 50 % budget buys lower states.
	script := `i=0; while [ $i -lt 40 ]; do i=$((i+1)); sleep 0.01; done; cat ` +
		filepath.Join(policy, "scaling_governor") + ` >` + filepath.Join(dir, "seen")
	code := ebb([]string{"run", "--slowdown", "50%", "--sysfs", tree, "--run-dir", runDir,
		"--report", out, "--", "sh", "-c", script},
		command.Stdio{In: os.Stdin, Out: os.Stdout, Err: &errs})
	if code != command.OK {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	if seen, err := os.ReadFile(filepath.Join(dir, "seen")); err != nil ||
		strings.TrimSpace(string(seen)) != "userspace" {
		t.Errorf("while it ran the governor was %q (%v), want userspace", seen, err)
	}
	for file, want := range map[string]string{"scaling_governor": "schedutil",
		"scaling_min_freq": "1000000", "scaling_max_freq": "4000000"} {
		if b, err := os.ReadFile(filepath.Join(policy, file)); err != nil ||
			strings.TrimSpace(string(b)) != want {
			t.Errorf("afterwards %s is %q (%v), want %s", file, b, err, want)
		}
	}
	if _, err := os.Stat(runDir); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there (%v)", err)
	}
	var r report.Report
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Actuator != "setspeed" || len(r.Refusals) > 0 {
		t.Errorf("actuator %q, refusals %q; want setspeed without any", r.Actuator, r.Refusals)
	}
	lower := false
	for _, q := range r.Quanta {
		lower = lower || q.FreqHz < 4e9
		if q.FreqHz%1e9 != 0 || q.FreqHz < 1e9 || q.FreqHz > 4e9 {
			t.Fatalf("a quantum ran at %d Hz, which is no state", q.FreqHz)
		}
	}
	if !lower {
		t.Errorf("all %d quanta ran at the highest frequency, with half of the time to lose",
			len(r.Quanta))
	}
}

// breaks panics when something is written to it, and notes the governor of that moment.
type breaks struct{ governor, seen string }

func (b *breaks) Write([]byte) (int, error) {
	text, _ := os.ReadFile(b.governor)
	b.seen = strings.TrimSpace(string(text))
	panic("broken on purpose")
}

// TestPanicPutsBack: a panic of ebb while it holds the frequencies leaves the machine as it was
// found.
func TestPanicPutsBack(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tree := devtest.Tree(t, devtest.Desktop)
	runDir := filepath.Join(t.TempDir(), "run")
	policy := filepath.Join(tree, "devices/system/cpu/cpufreq/policy0")
	controls := func() (all [3]string) {
		for i, file := range []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq"} {
			b, err := os.ReadFile(filepath.Join(policy, file))
			if err != nil {
				t.Fatal(err)
			}
			all[i] = string(b)
		}
		return all
	}
	before := controls()
	errs := breaks{governor: filepath.Join(policy, "scaling_governor")}
	func() {
		defer func() {
			if r := recover(); r != "broken on purpose" {
				t.Errorf("recovered %v", r)
			}
		}()
		ebb([]string{"run", "--sysfs", tree, "--run-dir", runDir, "--", "true"},
			command.Stdio{In: os.Stdin, Out: os.Stdout, Err: &errs})
	}()
	if errs.seen != "userspace" {
		t.Errorf("when it broke the governor was %q, want userspace", errs.seen)
	}
	if after := controls(); after != before {
		t.Errorf("the controls are %q, were %q", after, before)
	}
	if _, err := os.Stat(runDir); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there (%v)", err)
	}
}
