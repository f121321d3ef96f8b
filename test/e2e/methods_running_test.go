package e2e

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/tolerance"
)

// TestMethodsOfChildren: ebb also samples a shell's children, and names their functions.
func TestMethodsOfChildren(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	path := filepath.Join(t.TempDir(), "r.json")
	split := workload(t, "split", "0.7")
	res := ebb(t, "run", "--quiet", "--methods", "--rate", "499", "--report", path, "--", "sh",
		"-c", strings.Join(split, " ")+" & wait")
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	if r := unitRows(t, path)["most"]; r.Share < 0.4 {
		t.Errorf("most has %.2f", r.Share)
	}
}

// used is the CPU time that a process has had.
func used(t *testing.T, pid int) time.Duration {
	t.Helper()
	d, ok := proc.Used(pid)
	if !ok {
		t.Fatalf("process %d has no clock", pid)
	}
	return d
}

// waitUsed waits until a process has had some more CPU time: on a busy machine that takes longer.
func waitUsed(t *testing.T, pid int, more time.Duration) {
	t.Helper()
	for until := used(t, pid) + more; used(t, pid) < until; time.Sleep(10 * time.Millisecond) {
	}
}

// attach begins to sample a running process, and returns when ebb has opened its clocks for that.
// rest waits for all that ebb says until it ends.
func attach(t *testing.T, pid int, path string) (cmd *exec.Cmd, rest func() string) {
	t.Helper()
	cmd = command(t, "run", "--methods", "--rate", "997", "--report", path, "--pid",
		fmt.Sprint(pid))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(stderr)
	said.Scan() // its first line: it has found the process
	for !holds(cmd.Process.Pid, "perf_event") {
		time.Sleep(10 * time.Millisecond)
	}
	return cmd, func() string {
		var all strings.Builder
		for said.Scan() {
			all.WriteString(said.Text() + "\n")
		}
		return all.String()
	}
}

// holds reports whether a process has a file of the kernel's of that kind, or has ended.
func holds(pid int, kind string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		return true // it has ended; what it says shows why
	}
	for _, f := range files {
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil &&
			strings.Contains(to, kind) {
			return true
		}
	}
	return false
}

// attached samples a running process for two seconds of its CPU time.
func attached(t *testing.T, pid int) map[string]unitRow {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	cmd, rest := attach(t, pid, path)
	waitUsed(t, pid, 2*time.Second)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if said := rest(); cmd.Wait() != nil {
		t.Fatalf("%v: %s", cmd.ProcessState, said)
	}
	return unitRows(t, path)
}

// parts are the shares of split's three methods in the CPU time.
var parts = map[string]float64{"most": 0.6, "some": 0.3, "little": 0.1}

// checkShare: each share of energy of three methods with times 6 : 3 : 1 is right within the chance
// error of the samples, and a point for the begin and end of sampling.
func checkShare(t *testing.T, rows map[string]unitRow, prefix string) {
	t.Helper()
	energy, samples := 0.0, 0
	for _, name := range []string{"most", "some", "little"} {
		energy += float64(rows[prefix+name].Energy)
		samples += rows[prefix+name].Samples
	}
	if samples < 500 {
		t.Fatalf("%d samples", samples)
	}
	for name, want := range parts {
		got := float64(rows[prefix+name].Energy) / energy
		chance := min(tolerance.Share(samples, want, tolerance.FalseAlarm),
			5*math.Sqrt(want*(1-want)/float64(samples)))
		if math.Abs(got-want) > 0.01+chance {
			t.Errorf("%s has %.1f %% of the three, not %.0f %% (%d samples)", name, 100*got,
				100*want, samples)
		}
	}
}

// TestMethodsOfARunningProgram attaches to one that has run for a while.
func TestMethodsOfARunningProgram(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	argv := workload(t, "split-go", "60")
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	checkShare(t, attached(t, cmd.Process.Pid), "main.")
}

// TestMethodsOfARunningJVM attaches to a Java machine, whose code is named and which lives on.
func TestMethodsOfARunningJVM(t *testing.T) {
	needRoot(t)
	argv := workload(t, "java-split", "60")
	cmd := exec.CommandContext(t.Context(), argv[0],
		append([]string{"-XX:+PreserveFramePointer"}, argv[1:]...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	waitUsed(t, cmd.Process.Pid, 8*time.Second) // until its methods are compiled
	checkShare(t, attached(t, cmd.Process.Pid), "Split.")
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the Java machine has ended: %v", err)
	}
	if _, err := os.Stat(fmt.Sprintf("/tmp/perf-%d.map", cmd.Process.Pid)); err == nil {
		t.Error("the map that ebb had written was left behind")
	}
}
