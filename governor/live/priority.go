package live

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Prioritise gives the calling goroutine a thread of its own, ahead of all ordinary ones: on a machine whose CPUs are
// all busy, mostly with the target, a decision would otherwise wait for a time slice or two, and come too late. The
// kernel does the same for its own governors' threads. It runs for some tens of microseconds a quantum. The returned
// function undoes it.
func Prioritise() (undo func(), err error) {
	runtime.LockOSThread()
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: 1}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("run ahead of ordinary threads: %w", err)
	}
	return func() {
		ordinary := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		if unix.SchedSetAttr(0, &ordinary, 0) == nil {
			runtime.UnlockOSThread()
		}
		// Else the thread stays locked and ends with its goroutine, so that no other inherits the priority.
	}, nil
}
