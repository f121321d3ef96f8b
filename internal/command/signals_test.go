package command

import (
	"fmt"
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSignalEndsOpening: an ending signal before there is a target gives the opening up, and one
// for the command does not.
func TestSignalEndsOpening(t *testing.T) {
	s := CatchSignals(nil)
	defer s.Stop()
	s.take(unix.SIGUSR1)
	if s.Opening.Err() != nil || s.Ending() != 0 {
		t.Error("a signal for the command ended the opening")
	}
	s.take(unix.SIGINT)
	if s.Opening.Err() == nil || s.Ending() != unix.SIGINT {
		t.Errorf("the opening goes on after signal %v", s.Ending())
	}
	if err := GivenUp(s.Opening, fmt.Errorf("ask: %w", s.Opening.Err())); err !=
		StatusError(BySignal(unix.SIGINT)) {
		t.Errorf("%v, want the signal's status", err)
	}
	if err := GivenUp(s.Opening, io.EOF); err != io.EOF {
		t.Errorf("%v, want what failed beside the signal", err)
	}
}

// TestOneSignalEndsAnOpeningThatDoesNotEnd: what waits for ever before there is a target, as the
// first line in a pipe that nobody reads, is ended by the first signal.
func TestOneSignalEndsAnOpeningThatDoesNotEnd(t *testing.T) {
	s := CatchSignals(nil)
	defer s.Stop()
	exits := make(chan int, 1)
	s.mu.Lock()
	s.patience, s.exit = time.Millisecond, func(code int) { exits <- code }
	s.mu.Unlock()
	s.take(unix.SIGTERM)
	select {
	case got := <-exits:
		if want := int(BySignal(unix.SIGTERM)); got != want {
			t.Errorf("it exits with %d, want %d", got, want)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

// TestOneSignalEndsARunThatDoesNotEnd: a run that goes on after its target's end is ended by the
// first signal, and one that is over, or whose target lives, is left alone.
func TestOneSignalEndsARunThatDoesNotEnd(t *testing.T) {
	for name, x := range map[string]struct {
		stage stage
		exits bool
	}{"spins": {governing, true}, "concludes": {concluding, false}, "opens": {opening, false}} {
		t.Run(name, func(t *testing.T) {
			exits := -1
			s := &Signals{done: make(chan struct{}), stage: x.stage, last: unix.SIGTERM,
				patience: time.Millisecond, exit: func(code int) { exits = code }}
			looks := 0
			s.insist(governing, func() bool { looks++; return looks > endSteps })
			if looks != 2*endSteps {
				t.Errorf("it looked %d times", looks)
			}
			if want := int(BySignal(unix.SIGTERM)); (exits == want) != x.exits {
				t.Errorf("it exits with %d", exits)
			}
		})
	}
	s := &Signals{done: make(chan struct{}), stage: governing, patience: time.Millisecond,
		exit: func(int) { t.Error("a run that is over was ended") }}
	close(s.done)
	s.insist(governing, func() bool { return true })
}
