package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestInputOutputAndErrorAreTheProgramsOwn(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	cmd := command(t, "run", "--quiet", "--", "sh", "-c", "cat; echo to-stderr >&2")
	cmd.Stdin = strings.NewReader("one\ntwo\n")
	r := finish(t, cmd)
	if r.code != 0 || r.stdout != "one\ntwo\n" || r.stderr != "to-stderr\n" {
		t.Errorf("status %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
}

func TestSummaryGoesToStandardError(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	r := ebb(t, "run", "-v", "--", "sh", "-c", "echo the-program")
	if r.stdout != "the-program\n" {
		t.Errorf("stdout has more than the program's: %q", r.stdout)
	}
	for _, word := range []string{"epochs", "slowdown", "lost", "shadow"} {
		if word == "shadow" && hasCPUFreq() {
			continue
		}
		if !strings.Contains(unbroken(r.stderr), word) {
			t.Errorf("the summary does not mention %q:\n%s", word, r.stderr)
		}
	}
}

func hasCPUFreq() bool {
	_, err := os.Stat("/sys/devices/system/cpu/cpufreq/policy0")
	return err == nil
}

func TestExitStatusIsTheProgramsOwn(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, tc := range []struct {
		script string
		want   int
	}{
		{"exit 0", 0},
		{"exit 1", 1},
		{"exit 2", 2},
		{"exit 77", 77},
		{"exit 255", 255},
		{"kill -TERM $$", 128 + 15},
		{"kill -KILL $$", 128 + 9},
		{"kill -SEGV $$", 128 + 11},
	} {
		r := ebb(t, "run", "--quiet", "--", "sh", "-c", tc.script)
		if r.code != tc.want {
			t.Errorf("%s: status %d, want %d (stderr %q)", tc.script, r.code, tc.want, r.stderr)
		}
		if r.stderr != "" {
			t.Errorf("%s: ebb added %q to standard error", tc.script, r.stderr)
		}
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGUSR1, syscall.SIGUSR2} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		name := map[syscall.Signal]string{
			syscall.SIGHUP: "HUP", syscall.SIGINT: "INT", syscall.SIGTERM: "TERM",
			syscall.SIGUSR1: "USR1", syscall.SIGUSR2: "USR2",
		}[sig]
		// The shell notes the signal and ends with a status of its own, so ebb must have gone on to
		// its end.
		script := "trap 'echo caught; exit 5' " + name +
			"; echo ready; while :; do sleep 0.05; done"
		cmd := command(t, "run", "--quiet", "--", "sh", "-c", script)
		f, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = f
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the program's trap",
			func() bool { return strings.Contains(read(t, out), "ready") })
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 5 {
			t.Errorf("%v: status %d (%v), want the trap's 5", sig, got, err)
		}
		if got := read(t, out); got != "ready\ncaught\n" {
			t.Errorf("%v: output %q", sig, got)
		}
		f.Close()
	}
}

// TestNoHangUp: under nohup ebb and its command ignore SIGHUP. SIGINT ends both, also where a shell
// has what it runs in the background ignore that.
func TestNoHangUp(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	out := filepath.Join(t.TempDir(), "out")
	cmd := command(t, "run", "--quiet", "--", "sh", "-c",
		"grep SigIgn /proc/self/status; exec sleep 100000")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP INT; exec "$@"`, "sh"},
		append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = "/bin/sh"
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd.Stdout = f
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the program", func() bool { return strings.Contains(read(t, out), "\n") })
	ignored, err := strconv.ParseUint(strings.Fields(read(t, out))[1], 16, 64)
	if err != nil || ignored&(1<<(syscall.SIGHUP-1)) == 0 {
		t.Errorf("the command ignores %x, %v", ignored, err)
	}
	child := child(t, cmd.Process.Pid, "sleep")
	for range 3 { // a third ending signal ends ebb at once
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	if err := syscall.Kill(child, 0); err != nil {
		t.Errorf("the command has ended: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGINT) {
		t.Errorf("status %d (%v)", got, err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(hung); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("waited %s for %s", hung, what)
}

// TestSurvivorsAreReported: a command that leaves processes behind, as a daemon does, ends the run,
// and the summary says so.
func TestSurvivorsAreReported(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	cmd := command(t, "run", "--", "sh", "-c", "sleep 100 >/dev/null 2>&1 & echo $!")
	r := finish(t, cmd)
	pid, err := strconv.Atoi(strings.TrimSpace(r.stdout))
	if err != nil {
		t.Fatalf("%v: %q", err, r.stdout)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	if r.code != 0 || !strings.Contains(unbroken(r.stderr),
		"1 of the processes that it started live on") {
		t.Errorf("status %d, %s", r.code, r.stderr)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the process is gone: %v", err)
	}
}
