package run

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestSignalEndsOpening: an ending signal before there is a target gives the opening up, and one
// for the command does not.
func TestSignalEndsOpening(t *testing.T) {
	s := catchSignals()
	defer s.stop()
	s.take(unix.SIGUSR1)
	if s.opening.Err() != nil || s.ending() != 0 {
		t.Error("a signal for the command ended the opening")
	}
	s.take(unix.SIGINT)
	if s.opening.Err() == nil || s.ending() != unix.SIGINT {
		t.Errorf("the opening goes on after signal %v", s.ending())
	}
}
