package bpf

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bell waits until a program rings.
//
// It waits in Go's network poller, edge-triggered, so that records that ring no bell wake nobody. A
// wait in a system call of its own is no cheaper: the runtime's monitor thread then wakes with
// every bell and checks every 20 us on the processor that the call left, which costs as much as the
// rest of a quantum.
type bell struct {
	ring   *os.File // a second descriptor of the ring's map
	raw    syscall.RawConn
	rung   func(uintptr) bool
	woken  atomic.Bool
	shared *shared
	heard  uint64 // the bells whose records have been, or will now be, read
}

func newBell(ring int, shared *shared) (*bell, error) {
	fail := func(err error) (*bell, error) {
		return nil,
			fmt.Errorf("wait for the ring buffer: %w", err)
	}
	fd, err := unix.FcntlInt(uintptr(ring), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fail(err)
	}
	// The poller takes only descriptors that do not block.
	if err := unix.SetNonblock(fd, true); err != nil {
		return fail(errors.Join(err, unix.Close(fd)))
	}
	b := &bell{ring: os.NewFile(uintptr(fd), "ring buffer"), shared: shared}
	if b.raw, err = b.ring.SyscallConn(); err == nil {
		err = b.ring.SetReadDeadline(time.Time{}) // fails if the poller has not taken it
	}
	if err != nil {
		return fail(errors.Join(err, b.ring.Close()))
	}
	b.rung = func(uintptr) bool {
		count := b.shared.bellCount()
		rang := count != b.heard
		b.hear(count)
		return rang
	}
	return b, nil
}

// wait returns when a bell rang since the last call, or wake was called.
func (b *bell) wait() error {
	// A bell that sounds between the read of the count and the wait leaves its edge with the
	// poller, and the wait returns.
	err := b.raw.Read(b.rung)
	if b.woken.Load() || errors.Is(err, os.ErrDeadlineExceeded) {
		b.hear(b.shared.bellCount())
		err = b.ring.SetReadDeadline(time.Time{})
		// All wakes until now are served: the reader reads everything after this.
		b.woken.Store(false)
	}
	if err != nil {
		return fmt.Errorf("wait for the ring buffer: %w", err)
	}
	return nil
}

// until has the next wait return at a time at the latest, as after a wake.
func (b *bell) until(deadline time.Time) error {
	err := b.ring.SetReadDeadline(deadline)
	if err == nil && b.woken.Load() {
		err = b.wake() // this deadline has replaced that one's
	}
	return err
}

// hear notes the bells that were heard, here and for the programs in the kernel.
func (b *bell) hear(count uint64) {
	b.heard = count
	b.shared.hear(count)
}

// wake makes the wait that runs, or the next one, return.
func (b *bell) wake() error {
	b.woken.Store(true)
	return b.ring.SetReadDeadline(time.Unix(1, 0))
}

func (b *bell) close() error { return b.ring.Close() }
