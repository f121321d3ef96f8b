package command

import (
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// AtStop sets what the terminal's stop (Ctrl-Z) does while there is a target. It puts the clocks
// back, and calls Suspend.
func (s *Signals) AtStop(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atStop = do
}

// stop handles the terminal's stop.
func (s *Signals) stop() {
	s.mu.Lock()
	do := s.atStop
	if s.stage != governing {
		do = nil // the guardian watches an ebb that begins
	}
	s.mu.Unlock()
	if do == nil {
		do = Suspend
	}
	do()
}

// Stoppable reports whether the terminal's stop stops ebb. The kernel discards it for the first
// process of a PID namespace, and in a process group from which nobody leads to a parent in
// another group of the session: there is no shell that could have ebb go on (setpgid(2)).
func Stoppable() bool {
	group := unix.Getpgrp()
	session, err := unix.Getsid(0)
	if err != nil || os.Getpid() == 1 {
		return false
	}
	if session == 0 { // it was begun outside of this PID namespace, where a shell can be
		return true
	}
	for pid := os.Getppid(); pid > 0; {
		if of, err := unix.Getpgid(pid); err != nil || of != group {
			in, err := unix.Getsid(pid)
			return err == nil && in == session
		}
		parent, err := proc.ReadStat(pid) // as sudo, which is in ebb's group
		if err != nil {
			return true // it may be hidden, and a stop is what was asked for
		}
		pid = parent.Parent
	}
	return false
}

// suspending is held by the goroutine that has ebb stopped. Another one would take the default for
// what was set before, and leave it.
var suspending sync.Mutex

// Suspend stops ebb as the terminal's stop does, and returns when it goes on. It does nothing where
// nobody would have ebb go on, as in an orphaned process group, and where another call is under
// way.
func Suspend() {
	if !suspending.TryLock() {
		return
	}
	defer suspending.Unlock()
	// A thread's own signal is served before the call returns. Go's runtime, once it has caught the
	// signal, gives it no default action again.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var caught, byDefault [4]uint64 // the kernel's struct sigaction
	if !action(nil, &caught) || !action(&byDefault, nil) {
		return
	}
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTSTP) // it cannot fail
	action(&caught, nil)
}

// action sets and gets what the signal does.
func action(next, was *[4]uint64) bool {
	const mask = 8 // bytes of a set of signals
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTSTP),
		uintptr(unsafe.Pointer(next)), uintptr(unsafe.Pointer(was)), mask, 0, 0)
	return errno == 0
}
