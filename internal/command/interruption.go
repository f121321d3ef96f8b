package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Interruption remembers the signal that ended a measurement.
type Interruption struct {
	got    atomic.Int32
	c      chan os.Signal
	cancel context.CancelFunc
}

// UntilSignal returns a context that ends at the first signal that would end ebb. The caller must
// call Stop.
func UntilSignal(ctx context.Context) (context.Context, *Interruption) {
	ctx, cancel := context.WithCancel(ctx)
	i := &Interruption{c: make(chan os.Signal, 1), cancel: cancel}
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

// Signal returns the signal that came; 0 when none did.
func (i *Interruption) Signal() syscall.Signal { return syscall.Signal(i.got.Load()) }

// Stop ends the waiting for a signal, and the context.
func (i *Interruption) Stop() {
	signal.Stop(i.c)
	i.cancel()
}

// Or returns a measurement's error: the signal's status if a signal ended it, otherwise err.
func (i *Interruption) Or(err error) error {
	if s := i.Signal(); s != 0 && errors.Is(err, context.Canceled) {
		return StatusError(BySignal(s))
	}
	return err
}
