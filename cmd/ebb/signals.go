package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor/live"
)

// forwardSignals passes on to a launched command what is sent to ebb; for an attached process an ending signal ends the
// run and the process lives on. The returned function undoes it.
func forwardSignals(m *live.Machine) (stop func()) {
	c := make(chan os.Signal, 16)
	signal.Notify(c, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-c:
				deliver(m, s)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
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
