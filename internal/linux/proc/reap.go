package proc

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Wait waits for a process like p.Wait, at an ordinary priority whatever the caller's is.
//
// With the status the kernel gives up the process's directory of /proc, and it tries again and
// again while another program's thread has that half open (proc_invalidate_siblings_dcache in
// fs/proc/inode.c). A thread that runs ahead of ordinary ones keeps that thread from going on, when
// they share a CPU, until the kernel holds it back after 950 ms (sched_rt_runtime_us). Any user can
// bring this about by reading /proc.
func Wait(p *os.Process) (*os.ProcessState, error) {
	defer ordinary()()
	return p.Wait()
}

// ordinary gives the calling thread an ordinary priority until the returned function is called.
func ordinary() (undo func()) {
	runtime.LockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil || before.Policy == unix.SCHED_NORMAL {
		return runtime.UnlockOSThread
	}
	down := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
	_ = unix.SchedSetAttr(0, &down, 0) // to go down is never refused
	return func() {
		// Refused, it stays an ordinary thread, and waits for its turn like others.
		_ = unix.SchedSetAttr(0, before, 0)
		runtime.UnlockOSThread()
	}
}
