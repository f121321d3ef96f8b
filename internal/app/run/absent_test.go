package run

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestAbsent: an id that is no running process's is refused with what it is.
func TestAbsent(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	proc.Over(cmd.Process.Pid)
	defer cmd.Wait()
	tids, done := make(chan int), make(chan struct{})
	defer close(done)
	other := os.Getpid()
	for range 2 { // one of them may be on the first thread
		go func() {
			runtime.LockOSThread()
			tids <- unix.Gettid()
			<-done
		}()
		if tid := <-tids; tid != os.Getpid() {
			other = tid
		}
	}
	for _, c := range []struct {
		pid  int
		says string
	}{
		{1 << 30, "no such process"}, {cmd.Process.Pid, "it has ended"},
		{other, "it is a thread of process"}, {os.Getpid(), ""},
	} {
		s := Settings{}
		s.Target.PID = c.pid
		_, err := s.openTarget(nil)
		if (err == nil) != (c.says == "") || err != nil && (!errors.Is(err, bpf.ErrNoProcess) ||
			!strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d: %v, want %q", c.pid, err, c.says)
		}
	}
}
