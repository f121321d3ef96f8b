package live

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestProcessClock: a process's clock is what the kernel gives the process itself, can be read
// until its status has been taken, and is unknown from then on.
func TestProcessClock(t *testing.T) {
	var before, after unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &before); err != nil {
		t.Fatal(err)
	}
	at, ok := ofProcess(os.Getpid())()
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &after); err != nil {
		t.Fatal(err)
	}
	if !ok || at < time.Duration(before.Nano()) || at > time.Duration(after.Nano()) {
		t.Errorf("%v, %v, not between %v and %v", at, ok, before.Nano(), after.Nano())
	}
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	pid := cmd.Process.Pid
	if err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if at, ok := ofProcess(pid)(); !ok {
		t.Errorf("a process that has ended: %v", at)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if at, ok := ofProcess(pid)(); ok {
		t.Errorf("a process that has gone: %v", at)
	}
}

// TestClockSince: the time before the target was followed does not count.
func TestClockSince(t *testing.T) {
	var h Host
	now := 5 * time.Second
	h.target.follow(func() (time.Duration, bool) { return now, now < 9*time.Second })
	now = 7 * time.Second
	if own, all := h.Clock(); own != 2*time.Second || all != 0 {
		t.Error(own, all)
	}
	now = 10 * time.Second // it has gone, unseen
	if own, _ := h.Clock(); own != 0 {
		t.Error(own)
	}
	h.target.clocked.Store(int64(8 * time.Second))
	h.target.ended.Store(true)
	if own, _ := h.Clock(); own != 3*time.Second {
		t.Error(own)
	}
	h.target.group = func() error { return nil }
	if own, all := h.Clock(); own != 0 || all != 3*time.Second {
		t.Error(own, all)
	}
}
