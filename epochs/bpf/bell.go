package bpf

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// bell waits until a program rings.
//
// It waits in the kernel itself, not in Go's network poller: the thread that reads is then the one that is woken, which
// takes one context switch and not three, and matters when that thread has a priority that the runtime's others have
// not. The ring is watched edge-triggered, so that records that ring no bell wake nobody.
type bell struct {
	epoll  int
	waker  int // an eventfd
	shared *shared
	heard  uint64 // the bells whose records have been, or will now be, read
}

func newBell(ring int, shared *shared) (_ *bell, err error) {
	b := &bell{epoll: -1, waker: -1, shared: shared}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("wait for the ring buffer: %w", err), b.close())
		}
	}()
	if b.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if b.waker, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, err
	}
	for fd, events := range map[int]uint32{ring: unix.EPOLLIN | unix.EPOLLET, b.waker: unix.EPOLLIN} {
		if err := unix.EpollCtl(b.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// wait returns when a bell rang since the last call, or wake was called.
func (b *bell) wait() error {
	var ready [2]unix.EpollEvent
	for {
		// A bell that sounds between this look and the wait leaves its edge in the epoll set, and the wait returns.
		if count := b.shared.bellCount(); count != b.heard {
			b.heard = count
			return nil
		}
		n, err := unix.EpollWait(b.epoll, ready[:], -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the ring buffer: %w", err)
		}
		for _, ev := range ready[:max(n, 0)] {
			if int(ev.Fd) == b.waker {
				b.heard = b.shared.bellCount()
				return b.drainWaker()
			}
		}
	}
}

// drainWaker makes all wakes until now one.
func (b *bell) drainWaker() error {
	var count [8]byte
	if _, err := unix.Read(b.waker, count[:]); err != nil && !errors.Is(err, unix.EAGAIN) {
		return fmt.Errorf("wait for the ring buffer: %w", err)
	}
	return nil
}

// wake makes the wait that runs, or the next one, return.
func (b *bell) wake() error {
	one := binary.NativeEndian.AppendUint64(nil, 1)
	_, err := unix.Write(b.waker, one)
	return err
}

func (b *bell) close() error {
	var errs []error
	for _, fd := range []int{b.epoll, b.waker} {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}
