package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// interruption remembers the signal that ended a measurement.
type interruption struct {
	got    atomic.Int32
	c      chan os.Signal
	cancel context.CancelFunc
}

// untilSignal ends the context at the first signal that would end ebb.
func untilSignal(ctx context.Context) (context.Context, *interruption) {
	ctx, cancel := context.WithCancel(ctx)
	i := &interruption{c: make(chan os.Signal, 1), cancel: cancel}
	signal.Notify(i.c, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	go func() {
		select {
		case s := <-i.c:
			if s, ok := s.(syscall.Signal); ok {
				i.got.CompareAndSwap(0, int32(s))
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, i
}

func (i *interruption) signal() syscall.Signal { return syscall.Signal(i.got.Load()) }

func (i *interruption) stop() {
	signal.Stop(i.c)
	i.cancel()
}

// or is the error of a measurement: after a signal its status, if that is what ended it.
func (i *interruption) or(err error) error {
	if s := i.signal(); s != 0 && errors.Is(err, context.Canceled) {
		return statusError(exitSignal + exitCode(s))
	}
	return err
}
