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

// bell waits until a program rings. It leaves the waiting to Go's network poller, which is edge-triggered: records
// that ring no bell wake nobody.
type bell struct {
	file   *os.File
	conn   syscall.RawConn
	shared *shared
	heard  uint64 // the bells whose records have been, or will now be, read
	woken  atomic.Bool
}

func newBell(ring int, shared *shared) (*bell, error) {
	fd, err := unix.FcntlInt(uintptr(ring), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("wait for the ring buffer: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that NewFile hands it to the poller
		return nil, errors.Join(fmt.Errorf("wait for the ring buffer: %w", err), unix.Close(fd))
	}
	file := os.NewFile(uintptr(fd), "ring buffer")
	conn, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // fails when the poller did not take it
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wait for the ring buffer: %w", err), file.Close())
	}
	return &bell{file: file, conn: conn, shared: shared}, nil
}

// wait returns when a bell rang since the last call, or wake was called.
func (b *bell) wait() error {
	for {
		woken := false
		err := b.conn.Read(func(uintptr) bool {
			// The count comes before the poller: the poller forgets what rang before it was asked.
			count := b.shared.bellCount()
			rang := count != b.heard
			b.heard = count
			woken = b.woken.Swap(false)
			return rang || woken
		})
		if woken || errors.Is(err, os.ErrDeadlineExceeded) {
			// A wake that comes in between has set woken again, or is found as a deadline once more.
			if e := b.file.SetReadDeadline(time.Time{}); e != nil {
				return fmt.Errorf("wait for the ring buffer: %w", e)
			}
			if err != nil && !b.woken.Load() {
				continue
			}
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("wait for the ring buffer: %w", err)
		}
		if err == nil {
			return nil
		}
	}
}

// wake makes the wait that runs, or the next one, return.
func (b *bell) wake() error {
	b.woken.Store(true)
	return b.file.SetReadDeadline(time.Unix(1, 0))
}

func (b *bell) close() error { return b.file.Close() }
