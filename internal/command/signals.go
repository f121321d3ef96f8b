package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stage is a part of a run's life.
type stage int

const (
	opening    stage = iota // there is no target yet
	governing               // there is a target
	concluding              // the target's time is over and the frequencies are back
)

// Signals handles the signals sent to ebb. The first ending signal goes to the command. At the
// second, ebb restores the frequencies and ends the run quickly, or gives up an end that takes
// long. The third kills ebb at once; the guardian restores what is left.
type Signals struct {
	c        chan os.Signal
	done     chan struct{}
	Hurried  chan struct{} // closed when a run's end is to be quick
	exit     func(int)
	hangUp   func()        // effect of SIGHUP; nil: it ends ebb as others do
	atStop   func()        // what comes before ebb stops; nil: nothing
	patience time.Duration // endPatience, except in tests
	// Opening ends with an ending signal that comes before there is a target. Its cause is then the
	// exit status.
	Opening context.Context
	giveUp  context.CancelCauseFunc

	mu    sync.Mutex
	stage stage
	host  Governed    // receiver of signals; nil before governing
	early []os.Signal // signals for a command that had not started
	count int         // number of ending signals
	last  syscall.Signal
}

// Governed receives the signals: the machine of one target, or of several tenants.
type Governed interface {
	Launched() bool // reports whether there is a command that gets the signals
	Signal(os.Signal)
	Ending()    // the target was asked to end
	Stop()      // the run must end
	Over() bool // reports whether it is over, or about to be
}

// manyEarly bounds how many signals are kept for a command that has not started.
const manyEarly = 16

// CatchSignals starts before anything is opened. An earlier signal would kill ebb at once, and a
// command that runs already would not get it. HangUp is the effect of SIGHUP; nil: it ends ebb.
func CatchSignals(hangUp func()) *Signals {
	s := &Signals{hangUp: hangUp, c: make(chan os.Signal, 16), done: make(chan struct{}),
		Hurried: make(chan struct{}), exit: os.Exit, patience: endPatience}
	s.Opening, s.giveUp = context.WithCancelCause(context.Background())
	wanted := append(Endings(), unix.SIGUSR1, unix.SIGUSR2)
	if hangUp != nil { // it does not end ebb
		wanted = append(wanted, unix.SIGHUP)
	}
	if !signal.Ignored(unix.SIGTSTP) {
		wanted = append(wanted, unix.SIGTSTP)
	}
	signal.Notify(s.c, wanted...)
	go func() {
		for {
			select {
			case sig := <-s.c:
				s.take(sig)
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// Ending returns the ending signal that came before there was a target; 0 if none did.
func (s *Signals) Ending() syscall.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Forward passes ebb's signals on to a launched command. With an attached process an ending signal
// ends the run, and the process lives on.
func (s *Signals) Forward(h Governed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stage, s.host = governing, h
	for _, sig := range s.early {
		s.deliver(sig)
	}
	if s.count > 0 {
		go s.insist(governing, h.Over)
	}
	s.early = nil
}

// Ended records that the run is over and the frequencies are restored.
func (s *Signals) Ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stage = concluding
}

// Interrupted returns the signal that ended a run whose command may live on; 0 when none did.
func (s *Signals) Interrupted() syscall.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count < 2 {
		return 0
	}
	return s.last
}

// Anew records that there is again nothing to govern, as before the first time.
func (s *Signals) Anew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stage, s.host = opening, nil
	if s.count > 0 { // the signal came while the last end was concluded
		s.giveUpOpening()
	}
}

// giveUpOpening ends the work before there is a target. Something there may wait for another
// program, such as the reader of ebb's first line.
func (s *Signals) giveUpOpening() {
	s.giveUp(StatusError(BySignal(s.last)))
	go s.insist(opening, func() bool { return true })
}

// Stop ends the handling.
func (s *Signals) Stop() {
	signal.Stop(s.c)
	close(s.done)
	s.giveUp(nil)
}

// take handles one signal.
func (s *Signals) take(sig os.Signal) {
	if sig == unix.SIGHUP && s.hangUp != nil {
		s.hangUp()
		return
	}
	if sig == unix.SIGTSTP {
		s.stop()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number, ok := sig.(syscall.Signal)
	if ends := ok && number != unix.SIGUSR1 && number != unix.SIGUSR2; ends {
		s.last = number
		if s.count++; s.stage == concluding {
			s.count = max(s.count, 2)
		}
	} else if s.stage == concluding {
		return
	}
	switch {
	case s.count > 2 || s.count == 2 && s.stage == opening:
		s.exit(int(BySignal(s.last)))
	case s.stage == opening:
		if s.count > 0 && s.Opening.Err() == nil {
			s.giveUpOpening()
		}
		if len(s.early) < manyEarly {
			s.early = append(s.early, sig)
		}
	case s.count == 2:
		if s.stage == governing {
			s.deliver(sig)
			s.host.Stop()
		}
		s.hasten()
	default:
		s.deliver(sig)
		if s.count == 1 && s.stage == governing {
			go s.insist(governing, s.host.Over)
		}
	}
}

const (
	// endPatience is the time that a run may take to end after an ending signal, once its target's
	// time is over, or while it has no target yet. Putting the frequencies back takes milliseconds,
	// under the greatest load seconds.
	endPatience = 20 * time.Second
	// endSteps is the number of checks in that time. A process that was stopped meanwhile has only
	// lost one of them.
	endSteps = 40
)

// insist ends ebb at once, as a third signal does, if it stays in a stage though its time there is
// over: the target's has ended, or there is none yet. Whatever is wrong, one signal ends it.
func (s *Signals) insist(in stage, over func() bool) {
	for left := endSteps; left > 0; {
		select {
		case <-s.done:
			return
		case <-time.After(s.patience / endSteps):
		}
		if over() {
			left--
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stage == in {
		s.exit(int(BySignal(s.last)))
	}
}

// hasten makes the run end quickly.
func (s *Signals) hasten() {
	select {
	case <-s.Hurried:
	default:
		close(s.Hurried)
	}
}

// deliver passes a signal on.
func (s *Signals) deliver(sig os.Signal) {
	h, ends := s.host, sig != unix.SIGUSR1 && sig != unix.SIGUSR2
	switch {
	case !h.Launched():
		if ends {
			h.Stop()
		}
		return
	case fromTerminal(sig):
		// The terminal sent it to the whole foreground group: the command has it already.
	default:
		h.Signal(sig)
	}
	if ends {
		h.Ending()
	}
}

// fromTerminal reports whether s may be a key of the terminal that ebb is in the foreground of.
// Such a signal cannot be distinguished from one sent by kill to ebb alone; a key is the usual
// case.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// GivenUp returns the cause for which a context has ended, where err says that it has; otherwise
// err.
func GivenUp(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}
