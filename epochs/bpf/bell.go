package bpf

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// bell waits until a program in the kernel rings. Bells sound in a ring of their own, the doorbell,
// because the ring of the records may be full.
//
// It waits in Go's network poller, edge-triggered, so that records without a bell wake nobody. A
// wait in a system call of its own is no cheaper: the runtime's monitor thread then wakes with
// every bell, and every 20 us checks the processor that the call left, which costs as much as the
// rest of a quantum.
type bell struct {
	door   *tracing.Ring
	file   *os.File // a second descriptor of the doorbell's map
	raw    syscall.RawConn
	rung   func(uintptr) bool
	woken  atomic.Bool
	shared *shared
	heard  uint64 // bells whose records have been read, or are about to be
}

// newBell returns a bell for the descriptor of the doorbell's map, whose size is a page.
func newBell(door int, shared *shared) (_ *bell, err error) {
	b := &bell{shared: shared}
	if b.door, err = tracing.MapRing(door, os.Getpagesize()); err != nil {
		return nil, err
	}
	fail := func(err error) (*bell, error) {
		return nil, errors.Join(fmt.Errorf("wait for the ring buffer: %w", err), b.door.Close())
	}
	fd, err := unix.FcntlInt(uintptr(door), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fail(err)
	}
	// The poller takes only descriptors that do not block.
	if err := unix.SetNonblock(fd, true); err != nil {
		return fail(errors.Join(err, unix.Close(fd)))
	}
	b.file = os.NewFile(uintptr(fd), "ring buffer")
	if b.raw, err = b.file.SyscallConn(); err == nil {
		err = b.file.SetReadDeadline(time.Time{}) // fails if the poller has not taken it
	}
	if err != nil {
		return fail(errors.Join(err, b.file.Close()))
	}
	b.rung = func(uintptr) bool { return b.listen() }
	return b, nil
}

// listen reports whether a bell rang since the last call. It first makes room for the next bells: a
// program that finds no room has already counted its bell.
func (b *bell) listen() bool {
	b.door.Clear()
	count := b.shared.bellCount()
	rang := count != b.heard
	b.heard = count
	b.shared.hear(count)
	return rang
}

// wait returns when a bell rang since the last call, or wake was called.
func (b *bell) wait() error {
	// A bell that sounds between the read of the count and the wait leaves its edge with the
	// poller, and the wait returns.
	err := b.raw.Read(b.rung)
	if b.woken.Load() || errors.Is(err, os.ErrDeadlineExceeded) {
		b.listen()
		err = b.file.SetReadDeadline(time.Time{})
		// All wakes so far are served: the reader reads everything after this.
		b.woken.Store(false)
	}
	if err != nil {
		return fmt.Errorf("wait for the ring buffer: %w", err)
	}
	return nil
}

// until makes the next wait return at the deadline at the latest, as after a wake.
func (b *bell) until(deadline time.Time) error {
	err := b.file.SetReadDeadline(deadline)
	if err == nil && b.woken.Load() {
		err = b.wake() // this deadline has replaced that of the wake
	}
	return err
}

// wake makes the present wait, or the next one, return.
func (b *bell) wake() error {
	b.woken.Store(true)
	return b.file.SetReadDeadline(time.Unix(1, 0))
}

func (b *bell) close() error { return errors.Join(b.file.Close(), b.door.Close()) }
