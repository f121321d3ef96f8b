package live

import (
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNoDescriptorIsNoEnd: where the kernel refuses a descriptor to wait with, for whatever reason,
// a process that lives has not ended, and one that ends is found to have.
func TestNoDescriptorIsNoEnd(t *testing.T) {
	for _, refused := range []unix.Errno{unix.EMFILE, unix.ENFILE, unix.EPERM, unix.ENOSYS,
		unix.ENOMEM} {
		for _, times := range []int32{3, 1 << 30} { // for a while, for ever
			cmd := exec.Command("sleep", "1000")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var asked atomic.Int32
			enough := make(chan struct{})
			target := target{pid: cmd.Process.Pid, open: func(pid, flags int) (int, error) {
				n := asked.Add(1)
				if n == 5 || n == times+1 {
					close(enough)
				}
				if n <= times {
					return -1, refused
				}
				return unix.PidfdOpen(pid, flags)
			}}
			over := make(chan bool, 1)
			go func() { over <- target.poll(time.Millisecond) }()
			<-enough
			select {
			case <-over:
				t.Errorf("%v: a process that lives is found to have ended", refused)
			default:
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if !<-over {
				t.Errorf("%v: the end is not known", refused)
			}
		}
	}
}

// TestLaunchedWithoutADescriptor: ebb's own child can be waited for otherwise.
func TestLaunchedWithoutADescriptor(t *testing.T) {
	refused := target{pid: 1, open: func(int, int) (int, error) { return -1, unix.EMFILE }}
	if refused.poll(0) {
		t.Error("it has waited")
	}
}
