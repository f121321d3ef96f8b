package proc

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOverLeavesTheStatus checks that a child that has ended keeps its number until its status is
// taken: a signal finds it, and no other process.
func TestOverLeavesTheStatus(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read line; exit 3")
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if IsOver(pid) {
		t.Error("it is over before it has read")
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	Over(pid)
	if !IsOver(pid) {
		t.Error("it goes on after its end")
	}
	if err := unix.Kill(-pid, unix.SIGTERM); err != nil {
		t.Error("its group has gone: ", err)
	}
	state, err := Wait(cmd.Process)
	if err != nil || state.ExitCode() != 3 {
		t.Errorf("%v, %v", state, err)
	}
	if !IsOver(pid) {
		t.Error("it goes on after its status was taken")
	}
}
