package command

import (
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

// Aside sets what the terminal's stop (Ctrl-Z) does while there is a target. It puts the clocks back,
// and calls Suspend.
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
		do = s.Suspend
	}
	do()
}

// Suspend stops ebb as the terminal's stop does, and returns when it goes on.
func (s *Signals) Suspend() {
	// A thread's own signal is served before the call returns.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signal.Reset(unix.SIGTSTP)
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTSTP) // it cannot fail
	signal.Notify(s.c, unix.SIGTSTP)
}
