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
	done   chan struct{} // closed by Stop
}

// Endings returns the signals that end ebb: SIGINT, SIGTERM, SIGQUIT, and SIGHUP unless ebb's
// caller has it ignored, as nohup does. Then it stays ignored, and ebb's commands inherit that.
// SIGINT ends ebb in any case: a shell has it ignored by what runs in the background, and scripts
// send it there.
func Endings() []os.Signal {
	all := []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGQUIT}
	if !signal.Ignored(unix.SIGHUP) {
		all = append(all, unix.SIGHUP)
	}
	return all
}

// UntilSignal returns a context that ends at the first signal that would end ebb. The third ends
// ebb at once, as SIGKILL would, because the work after the first may wait for another program. The
// caller must call Stop.
func UntilSignal(ctx context.Context) (context.Context, *Interruption) {
	return untilSignal(ctx, os.Exit)
}

func untilSignal(ctx context.Context, exit func(int)) (context.Context, *Interruption) {
	ctx, cancel := context.WithCancel(ctx)
	i := &Interruption{c: make(chan os.Signal, 3), cancel: cancel, done: make(chan struct{})}
	signal.Notify(i.c, Endings()...)
	go func() {
		for count := 1; ; count++ {
			select {
			case <-i.done:
				return
			case got := <-i.c:
				s, _ := got.(syscall.Signal) // all are
				i.got.CompareAndSwap(0, int32(s))
				cancel()
				if count == 3 {
					exit(int(BySignal(s)))
				}
			}
		}
	}()
	return ctx, i
}

// Signal returns the signal that came; 0 when none did.
func (i *Interruption) Signal() syscall.Signal { return syscall.Signal(i.got.Load()) }

// Stop ends the waiting for a signal, and the context.
func (i *Interruption) Stop() {
	signal.Stop(i.c)
	close(i.done)
	i.cancel()
}

// Or returns a measurement's error: the signal's status if a signal ended it, otherwise err.
func (i *Interruption) Or(err error) error {
	if s := i.Signal(); s != 0 && errors.Is(err, context.Canceled) {
		return StatusError(BySignal(s))
	}
	return err
}
