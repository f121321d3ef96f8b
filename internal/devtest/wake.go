package devtest

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// WakeOften wakes on a CPU every 10 ms, for a moment, until stop is closed. It takes the
// goroutine's thread with it.
func WakeOften(stop <-chan struct{}) {
	runtime.LockOSThread() // and ends the thread with the goroutine
	var first unix.CPUSet
	first.Set(0)
	_ = unix.SchedSetaffinity(0, &first) // on any CPU is as good
	for {
		select {
		case <-stop:
			return
		default:
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 10_000_000}, nil)
		}
	}
}
