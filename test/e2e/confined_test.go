package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// unitCapabilities are those that dist's unit for governing a service leaves to root.
func unitCapabilities(t *testing.T) (names []string) {
	t.Helper()
	return capabilitiesOf(t, "ebb-unit@.service")
}

// capabilitiesOf are those that a unit of dist's leaves to root.
func capabilitiesOf(t *testing.T, unit string) (names []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("../../tools/dist", unit))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if list, ok := strings.CutPrefix(lines.Text(), "CapabilityBoundingSet="); ok {
			names = append(names, strings.Fields(list)...)
		}
	}
	if len(names) == 0 {
		t.Fatal("the unit has no capabilities")
	}
	return names
}

// private is a program of nobody's that computes without end, in a file that only its user may
// read.
func private(t *testing.T) (pid string) {
	t.Helper()
	program, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "ebb-private")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "private")
	for _, err := range []error{os.Chmod(dir, 0o755), os.WriteFile(path, program, 0o500),
		os.Chown(path, 65534, 65534)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := command(t)
	cmd.Path, cmd.Args = path, []string{"private", "-c", "while :; do :; done"}
	unprivileged(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return pidString(cmd)
}

// confinedReport is what the tests read of a report of a run with few capabilities.
type confinedReport struct {
	Warnings    []string   `json:"warnings"`
	Quanta      []struct{} `json:"quanta"`
	Attribution struct {
		SamplesTaken int      `json:"samples_taken"`
		Problems     []string `json:"problems"`
	} `json:"attribution"`
}

// confined governs and samples a process with these capabilities alone. Where the program or ebb
// had no CPU there is nothing to see: then it does so for longer. On a busy machine ebb costs a
// program with one CPU more than the usual budget, which is a warning: the budget is wide.
func confined(t *testing.T, capabilities []string, target string) (out confinedReport, r result,
	runDir string,
) {
	t.Helper()
	for seconds := 1; ; seconds *= 2 {
		path := filepath.Join(t.TempDir(), "r.json")
		tree := devtest.Tree(t, devtest.Desktop)
		runDir = filepath.Join(t.TempDir(), "run")
		cmd := command(t, "run", "--methods", "--slowdown", "50%", "--sysfs", tree, "--run-dir",
			runDir, "--report", path, "--pid", target, "--duration", fmt.Sprintf("%ds", seconds))
		devtest.WithCapabilities(t, capabilities, func() { r = finish(t, cmd) })
		if r.code != 0 {
			return out, r, runDir
		}
		out = confinedReport{}
		if err := json.Unmarshal([]byte(read(t, path)), &out); err != nil {
			t.Fatal(err)
		}
		if out.Attribution.SamplesTaken > 0 && len(out.Quanta) > 0 || seconds >= 32 {
			return out, r, runDir
		}
	}
}

// TestUnitsCapabilitiesAreEnough: with the capabilities of dist's unit ebb governs, samples another
// user's program and reads its private files. Without one of them it lacks exactly the function
// that the unit names for it.
func TestUnitsCapabilitiesAreEnough(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	target, all := private(t), unitCapabilities(t)
	cases := []struct{ without, missing string }{
		{"", ""},
		{"CAP_SYS_NICE", "ahead of ordinary threads"},
		{"CAP_DAC_READ_SEARCH", "private"},
		{"CAP_SYS_PTRACE", "mappings"},
		{"CAP_CHECKPOINT_RESTORE", "map_files"},
	}
	for _, c := range cases[:devtest.Cases(len(cases), 3)] {
		capabilities := slices.DeleteFunc(slices.Clone(all),
			func(name string) bool { return name == c.without })
		if c.without != "" && len(capabilities) == len(all) {
			t.Errorf("the unit has no %s", c.without)
		}
		out, r, runDir := confined(t, capabilities, target)
		if r.code != 0 {
			t.Errorf("without %q: status %d, %s", c.without, r.code, r.stderr)
			continue
		}
		if out.Attribution.SamplesTaken == 0 {
			t.Errorf("without %q: nothing was sampled: %s", c.without, r.stderr)
			continue
		}
		said := strings.Join(append(slices.Clone(out.Warnings), out.Attribution.Problems...), "\n")
		if c.missing == "" && said != "" || !strings.Contains(said, c.missing) {
			t.Errorf("without %q ebb says %q, not %q", c.without, said, c.missing)
		}
		if _, err := os.Stat(runDir); err == nil {
			t.Errorf("without %q: %s is left", c.without, runDir)
		}
		if len(out.Quanta) == 0 {
			t.Errorf("without %q: nothing was decided", c.without)
		}
	}
}

// TestUnitsCapabilitiesFollowCollectors: they are enough for the probes of another user's Java
// machine.
func TestUnitsCapabilitiesFollowCollectors(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	java := workload(t, "java-contend", "2", "120", "alloc")
	target := command(t)
	path, err := exec.LookPath(java[0])
	if err != nil {
		t.Fatal(err)
	}
	target.Path, target.Args = path, java
	target.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = target.Process.Kill()
		_ = target.Wait()
	})
	until(t, "the machine has mapped its runtime", func() bool {
		maps, err := os.ReadFile("/proc/" + pidString(target) + "/maps")
		return err != nil || strings.Contains(string(maps), "libjvm.so")
	})
	var r result
	for seconds := 4; seconds <= 32; seconds *= 2 { // until it collects: it may have no CPU
		cmd := command(t, "run", "-v", "--shadow", "--slowdown", "50%", "--methods",
			"--collector-phases",
			"--duration",
			fmt.Sprintf("%ds", seconds), "--pid", pidString(target))
		devtest.WithCapabilities(t, unitCapabilities(t), func() { r = finish(t, cmd) })
		if r.code != 0 || collections.MatchString(r.stderr) {
			break
		}
	}
	if r.code != 0 || !collections.MatchString(r.stderr) || strings.Contains(r.stderr, "warning") {
		t.Errorf("status %d, %s", r.code, r.stderr)
	}
}
