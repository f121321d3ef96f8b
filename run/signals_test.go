package run

import (
	"fmt"
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/command"
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
	if err := givenUp(s.opening, fmt.Errorf("ask: %w", s.opening.Err())); err !=
		command.StatusError(command.BySignal(unix.SIGINT)) {
		t.Errorf("%v, want the signal's status", err)
	}
	if err := givenUp(s.opening, io.EOF); err != io.EOF {
		t.Errorf("%v, want what failed beside the signal", err)
	}
}
