package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// killTimes are moments after ebb's start: while it loads, while it starts the target, while it
// governs.
func killTimes(t *testing.T, n int) []time.Duration {
	t.Helper()
	r := devtest.Rand(t)
	var times []time.Duration
	for range n {
		// Half of them in the first 100 ms, where most happens.
		most := 100 * time.Millisecond
		if r.IntN(2) == 0 {
			most = time.Second
		}
		times = append(times, time.Duration(r.Int64N(int64(most))))
	}
	return times
}

// alive reports whether the process exists and is no zombie.
func alive(pid int) bool {
	s, err := proc.ReadStat(pid)
	return err == nil && !s.Ended()
}

// running reports whether the process makes progress: its CPU time grows. A stopped process is
// alive and does nothing.
func running(t *testing.T, pid int) bool {
	t.Helper()
	cpu := func() string {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			return ""
		}
		total := string(b)
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, th := range threads {
			b, _ := os.ReadFile(th)
			total += string(b)
		}
		return total
	}
	before := cpu()
	for end := time.Now().Add(hung); time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		if now := cpu(); now == "" {
			return false
		} else if now != before {
			return true
		}
	}
	return false
}

// TestKilledWhileGoverningALaunchedProgram: SIGINT and SIGTERM reach the program and end it; ebb
// cannot pass SIGKILL on, so the program lives on.
func TestKilledWhileGoverningALaunchedProgram(t *testing.T) {
	needRoot(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			nothingLeft(t)
			for _, after := range killTimes(t, devtest.Cases(6, 2)) {
				killLaunched(t, sig, after)
			}
			for range devtest.Cases(4, 1) {
				killLaunched(t, sig, atBegin)
			}
		})
	}
}

// atBegin is the moment at which the target says that it has begun.
const atBegin time.Duration = -1

func killLaunched(t *testing.T, sig syscall.Signal, after time.Duration) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "out")
	stdout, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	args := append([]string{"run", "--quiet", "--report", "r.json", "--"},
		workload(t, "stamp", workload(t, "contend", "2", "60")...)...)
	cmd := command(t, args...)
	cmd.Dir = dir
	cmd.Stdout = stdout
	// A file and not a pipe: the target may live on with it.
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	session := cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-session, syscall.SIGKILL) })
	if after == atBegin {
		waitBegan(t, out)
	} else {
		time.Sleep(after)
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is checked below
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		t.Fatal("no wait status")
	}
	// The target's first line may still be under way when ebb is gone.
	time.Sleep(50 * time.Millisecond)
	began := beganLine.FindStringSubmatch(read(t, out))
	switch {
	case sig == syscall.SIGKILL:
		if began != nil {
			pid := int(atoi(t, began[1]))
			if !alive(pid) || !running(t, pid) {
				t.Errorf("killed after %v: the target does not run on", after)
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		onlyFiles(t, dir)
	case began == nil:
		// The signal came before there was a target.
		if !status.Signaled() && status.ExitStatus() == 0 {
			t.Errorf("%v after %v, before the target began: status 0\n%s", sig, after,
				read(t, stderr.Name()))
		}
	default:
		if pid := int(atoi(t, began[1])); alive(pid) {
			t.Errorf("%v after %v: the target lives on", sig, after)
		}
		if want := 128 + int(sig); !status.Signaled() && status.ExitStatus() != want {
			t.Errorf("%v after %v: status %d, want %d\n%s", sig, after, status.ExitStatus(), want,
				read(t, stderr.Name()))
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
			onlyFiles(t, dir, "r.json")
		}
	}
	// No half-written report, no temporary file.
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
		t.Errorf("%v after %v left %q", sig, after, hidden)
	}
}
