package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor/live"
)

// signals are those sent to ebb since it was made. They wait until forward says for whom.
type signals struct {
	c    chan os.Signal
	done chan struct{}
}

// catchSignals begins before anything is taken hold of: a signal that came between would end ebb there and then, and the
// command, if it runs already, would not get it.
func catchSignals() *signals {
	s := &signals{c: make(chan os.Signal, 16), done: make(chan struct{})}
	signal.Notify(s.c, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	return s
}

// outliveReaders has a write to a pipe that nobody reads any more fail, instead of ending ebb there and then: after
// `ebb run ... 2>&1 | head` the machine's frequencies must be put back and the report written. The signal is caught and not
// ignored, because the command would inherit that.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// ending is an ending signal that came before there was a target; 0 when none did.
func (s *signals) ending() syscall.Signal {
	for {
		select {
		case sig := <-s.c:
			if sig, ok := sig.(syscall.Signal); ok && sig != unix.SIGUSR1 && sig != unix.SIGUSR2 {
				return sig
			}
		default:
			return 0
		}
	}
}

// forward passes on to a launched command what is sent to ebb; for an attached process an ending signal ends the run and
// the process lives on.
func (s *signals) forward(m *live.Machine) {
	go func() {
		for {
			select {
			case sig := <-s.c:
				deliver(m, sig)
			case <-s.done:
				return
			}
		}
	}()
}

func (s *signals) stop() {
	signal.Stop(s.c)
	close(s.done)
}

func deliver(m *live.Machine, s os.Signal) {
	switch {
	case !m.Launched():
		if s != unix.SIGUSR1 && s != unix.SIGUSR2 {
			m.Stop()
		}
	case fromTerminal(s):
		// The terminal sent it to the whole foreground group: the command has it already.
	default:
		m.Signal(s)
	}
}

// fromTerminal says whether s is a key of the terminal that ebb is in the foreground of. Such a signal can not be told
// from one sent by kill to ebb alone; the former is what happens.
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
