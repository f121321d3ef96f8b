package live

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spinning names, in the environment, what a copy of this test's process does: it runs a loop that
// never waits, ahead of all ordinary threads.
const spinning = "EBB_TEST_SPINS"

// spin is the copy's life.
func spin(how string) {
	soft, hard := 100*time.Millisecond, time.Duration(0)
	if how == "stubborn" {
		hard = 200 * time.Millisecond
		runtime.GOMAXPROCS(1) // nobody else runs, so that nobody hears the first signal
	}
	lowered, _ := limit(soft, hard)
	if _, err := Prioritise(); err != nil {
		fmt.Println("refused:", err)
		return
	}
	if how == "stubborn" {
		for n := uint64(1); n != 0; n++ {
		}
	}
	for !lowered() {
	}
	attr, err := unix.SchedGetAttr(0, 0)
	fmt.Println("policy", attr.Policy, err)
}

// TestLoopThatSpins: a loop that does not wait loses its priority; one whose process does not react
// to that is killed.
func TestLoopThatSpins(t *testing.T) {
	if how := os.Getenv(spinning); how != "" {
		spin(how)
		os.Exit(0)
	}
	for _, how := range []string{"ordinary", "stubborn"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLoopThatSpins$")
		cmd.Env = append(os.Environ(), spinning+"="+how, "GODEBUG=asyncpreemptoff=1")
		if how == "ordinary" {
			cmd.Env = append(os.Environ(), spinning+"="+how)
		}
		out, err := cmd.CombinedOutput()
		if strings.HasPrefix(string(out), "refused:") {
			t.Skip(string(out))
		}
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch {
		case how == "stubborn" && (!status.Signaled() || status.Signal() != unix.SIGKILL):
			t.Errorf("a loop that hears nothing ends with %v: %s", err, out)
		case how == "ordinary" && string(out) != "policy 0 <nil>\n":
			t.Errorf("a loop that spins ends with %v: %s", err, out)
		}
	}
}

// TestLimitIsUndone: what was allowed before is allowed afterwards.
func TestLimitIsUndone(t *testing.T) {
	read := func() (r unix.Rlimit) {
		if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := read()
	if before.Max != unix.RLIM_INFINITY {
		t.Skip("it is limited already")
	}
	lowered, undo := Limit()
	want := unix.Rlimit{Cur: uint64(LongestAhead.Microseconds()),
		Max: uint64(killedAhead.Microseconds())}
	if r := read(); r != want || lowered() {
		t.Errorf("limit %+v, want %+v; lowered: %v", r, want, lowered())
	}
	undo()
	undone := read()
	if unix.Prlimit(0, unix.RLIMIT_RTTIME, &before, nil) != nil {
		t.Skip("without CAP_SYS_RESOURCE a limit cannot be raised")
	}
	if undone != before {
		t.Errorf("limit %+v, before %+v", undone, before)
	}
	_, undo = LimitAlone()
	if r := read(); r.Cur != want.Cur || r.Max != before.Max {
		t.Errorf("limit %+v of a process that starts programs", r)
	}
	undo()
	if r := read(); r != before {
		t.Errorf("limit %+v, before %+v", r, before)
	}
}
