package bpf

import (
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// TestNothingIsMissingAfterTheEnd: once Exited returns true, all threads' totals are complete,
// however soon after the program's end: here for many short programs on busy CPUs.
func TestNothingIsMissingAfterTheEnd(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 50 * time.Millisecond})
	pingpong := compile(t, "../../test/workloads/c/pingpong.c")
	buf := make([]epochs.Event, 4096)
	for i := range 200 {
		cmd := exec.Command(pingpong, "10")
		launch(t, tr, cmd)
		tr.Wake()
		if _, err := tr.Next(buf); err != nil {
			t.Fatal(err)
		}
		if threads := mustThreads(t, tr, cmd.Process.Pid); len(threads) != 2 {
			t.Fatalf("run %d: the totals of %d threads of two", i, len(threads))
		}
	}
}

// TestExitedGivesUp: a thread that has announced its end and cannot stop is not waited for longer
// than asked.
func TestExitedGivesUp(t *testing.T) {
	exits := [MaxTenants + 1]uint64{0: 1, 7: 1}
	tr := &Tracer{shared: &shared{exits: &exits}}
	if tr.Exited(time.Millisecond) {
		t.Error("a thread that is exiting has exited")
	}
	if exits[0] = 0; !tr.Exited(0) {
		t.Error("waited for nobody")
	}
	if tr.TenantExited(7, 0) || !tr.TenantExited(8, 0) {
		t.Error("one tenant's thread that is exiting is not that tenant's alone")
	}
}

// TestExitedAfterClose: a run that was stopped closes the tracer while its wait for the target's
// end goes on. Its memory is then gone, and reading there would kill ebb.
func TestExitedAfterClose(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 50 * time.Millisecond})
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if !tr.Exited(time.Millisecond) {
		t.Error("waited for threads of a tracer that is closed")
	}
	tr.Wake()
}
