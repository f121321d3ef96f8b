package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestParseStat: names with brackets and spaces, and texts that are cut short.
func TestParseStat(t *testing.T) {
	full := "7 (a) b ((c) Z 3 7 6 0 -1 4194304 0 0 0 0 12 5" + strings.Repeat(" 0", 25) + " 1" +
		strings.Repeat(" 0", 10) + " 9"
	for text, want := range map[string]Stat{
		full: {Name: "a) b ((c", State: 'Z', Parent: 3, Session: 6, CPU: 170 * time.Millisecond,
			Policy: 1, Exit: 9},
		"1 (init) S 0":  {Name: "init", State: 'S'},
		"1 (init) S":    {Name: "init", State: 'S'},
		"1 () R x 1":    {State: 'R'},
		"8 (x) X 1 2 3": {Name: "x", State: 'X', Parent: 1, Session: 3},
	} {
		if got, err := ParseStat(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, not %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1 init S 0", "1 (init)", "1 (init) ", ") (x S", "1 (x)S 0"} {
		if got, err := ParseStat(text); !errors.Is(err, errMalformed) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestRead: this process, a child that ended with a status nobody took, and no process.
func TestRead(t *testing.T) {
	s, err := ReadStat(os.Getpid())
	if err != nil || s.State != 'R' && s.State != 'S' || s.Parent != os.Getppid() || s.Ended() ||
		s.Exiting {
		t.Errorf("this process: %+v, %v", s, err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exit 3")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	end := time.Now().Add(devtest.Hung)
	for ; time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s, err = ReadStat(pid); err != nil || s.Ended() {
			break
		}
	}
	if err != nil || s.State != 'Z' || !s.Exiting || s.Exit.ExitStatus() != 3 ||
		s.Parent != os.Getpid() {
		t.Errorf("a zombie: %+v, exit status %d, %v", s, s.Exit.ExitStatus(), err)
	}
	used, known := Used(pid)
	_ = cmd.Wait() // its status was the test
	if sum := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); !known || used <= 0 ||
		(used-sum).Abs() > 2*time.Microsecond { // a status has whole microseconds
		t.Errorf("a zombie used %v (%t), by its status %v", used, known, sum)
	}
	if _, ok := Used(pid); ok {
		t.Error("a process that has gone has a clock")
	}
	before, known := Used(os.Getpid())
	for start := before; known && before == start; {
		before, known = Used(os.Getpid()) // it computes until its clock moves
	}
	if !known {
		t.Error("this process has no clock")
	}
	if s, err := ReadStat(pid); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no process: %+v, %v", s, err)
	}
}
