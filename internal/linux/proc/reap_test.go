package proc

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWaitIsOrdinary checks that a thread that goes first waits for a child as an ordinary one, and
// goes first again afterwards.
func TestWaitIsOrdinary(t *testing.T) {
	runtime.LockOSThread() // not unlocked: the thread ends with the test
	first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if err := unix.SchedSetAttr(0, &first, 0); err != nil {
		t.Skip("needs a real-time priority: ", err)
	}
	undo := ordinary()
	during := policy(t)
	undo()
	if after := policy(t); during != unix.SCHED_NORMAL || after != unix.SCHED_FIFO {
		t.Errorf("policy %d during the wait, %d after", during, after)
	}
	cmd := exec.Command("sh", "-c", "exit 3")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	state, err := Wait(cmd.Process)
	if err != nil || state.ExitCode() != 3 {
		t.Errorf("%v, %v", state, err)
	}
	if _, err := Wait(&os.Process{Pid: cmd.Process.Pid}); err == nil {
		t.Error("a status was taken twice")
	}
}

func policy(t *testing.T) uint32 {
	t.Helper()
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a.Policy
}
