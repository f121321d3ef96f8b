package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain runs the test binary as the command where a test asks for that.
func TestMain(m *testing.M) {
	if os.Getenv("GATE_TEST_SERVES") != "" {
		os.Exit(serve(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func gate(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "GATE_TEST_SERVES=1")
	return cmd
}

// TestStatus: the command's status is its own, by a signal as well.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		script string
		status int
	}{{"exit 0", 0}, {"exit 7", 7}, {"kill -9 $$", 128 + 9}} {
		cmd := gate(t, "run", "/bin/sh", "-c", c.script)
		_ = cmd.Run() // its status is checked next
		if got := cmd.ProcessState.ExitCode(); got != c.status {
			t.Errorf("%s: status %d, want %d", c.script, got, c.status)
		}
	}
}

// TestNothingStays: what a command started is ended after it and named, also in another session,
// deaf to signals, and as a grandchild; what ends by itself is not named.
func TestNothingStays(t *testing.T) {
	const script = `setsid sh -c 'trap "" TERM INT HUP; echo $$; sleep 1000' &
setsid sh -c 'sleep 1001 & echo $!; exec sleep 1002' &
sleep 0.1 &
exit 3`
	cmd := gate(t, "run", "/bin/sh", "-c", script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for lines := bufio.NewScanner(out); lines.Scan(); {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	_ = cmd.Wait() // its status is checked next
	if cmd.ProcessState.ExitCode() != 3 || len(pids) != 2 {
		t.Errorf("%v, processes %v, after %v", cmd.ProcessState, pids, time.Since(begun))
	}
	for _, pid := range pids {
		if err := unix.Kill(pid, 0); err != unix.ESRCH {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
	said := stderr.String()
	if strings.Count(said, stayed) < 3 || strings.Contains(said, "sleep 0.1") ||
		!strings.Contains(said, "sleep 1001") {
		t.Errorf("it said:\n%s", said)
	}
}

// TestUsage: what is no command of gate's is refused.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"run"}, {"outcome"}, {"repeats"}, {"other", "x"}} {
		if got := serve(args); got != 2 {
			t.Errorf("%q: status %d", args, got)
		}
	}
	for pkg, want := range map[string]int{"test/e2e": 0, "epochs/bpf": 0, "epochs": 1,
		"simtest/campaign": 1, "governor/replay": 1} {
		if got := serve([]string{"repeats", "github.com/ebb-energy/ebb/" + pkg}); got != want {
			t.Errorf("%s: status %d, want %d", pkg, got, want)
		}
	}
}
