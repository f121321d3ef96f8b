package command

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Aside sets what the terminal's stop (Ctrl-Z) does while there is a target. It puts the clocks
// back, and calls Suspend.
func (s *Signals) Aside(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aside = do
}

// stop handles the terminal's stop.
func (s *Signals) stop() {
	s.mu.Lock()
	do := s.aside
	if s.stage != governing {
		do = nil // the guardian watches an ebb that begins
	}
	s.mu.Unlock()
	if do == nil {
		do = Suspend
	}
	do()
}

// Suspend stops ebb as the terminal's stop does, and returns when it goes on. It does nothing where
// nobody would have ebb go on, as in an orphaned process group.
func Suspend() {
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
