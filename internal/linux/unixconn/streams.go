package unixconn

import (
	"errors"
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stream is a connection of a Unix stream socket that does not block.
type Stream interface {
	io.Closer
	syscall.Conn
}

// ErrRights says that the peer has sent a descriptor.
var ErrRights = errors.New("the peer has sent a descriptor")

// Inline has Read find a byte out of band, and a descriptor that came with it: where such a byte is
// not read in line, the kernel drops both.
func Inline(c Stream) {
	if raw, err := c.SyscallConn(); err == nil { // otherwise it is closed
		_ = raw.Control(inline)
	}
}

func inline(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_OOBINLINE, 1) }

// Read reads what is there, and no byte with which a descriptor came. It fails with ErrRights where
// there is such a byte, with unix.EAGAIN where there is nothing, and with io.EOF at the end. Inline
// comes before the first Read.
func Read(fd int, b []byte) (n int, err error) {
	// A descriptor for which there is no room shows in the flags. To look at it drops nothing, as
	// the connection has it still.
	n, err = receive(fd, b, unix.MSG_PEEK)
	if err != nil || n == 0 {
		return 0, err
	}
	return receive(fd, b[:n], 0)
}

func receive(fd int, b []byte, flags int) (int, error) {
	for {
		n, _, got, _, err := unix.Recvmsg(fd, b, nil, flags|unix.MSG_DONTWAIT)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case got&unix.MSG_CTRUNC != 0:
			return 0, ErrRights
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// mostReads bounds the reads by which a connection is emptied: of what a peer can have sent before
// the connection was shut down, and not of a peer that goes on sending.
const mostReads = 256

// emptied discards what the peer has sent, and reports whether nothing is left.
func emptied(c Stream) (is bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return true // it is closed
	}
	b := make([]byte, 4096)
	err = raw.Control(func(fd uintptr) {
		inline(fd) // whoever had the connection before may not have done that
		for range mostReads {
			switch _, err := Read(int(fd), b); {
			case err == unix.EAGAIN, err == unix.ECONNRESET, errors.Is(err, io.EOF):
				is = true
				return
			case err != nil:
				return
			}
		}
	})
	return is || err != nil
}

// late has what is to be closed and may take its time.
var late struct {
	mu     sync.Mutex
	waits  []func()
	closes bool
}

// Close closes a connection and calls closed, which may be nil, when it is. Where the peer has left
// descriptors in it, Close does not wait for that: one goroutine of the process closes these one
// behind the other. Closed may then be called as late as the peers like. How many wait is for the
// callers to bound, by Late.
//
// Where another process has the connection as well, shut it down first, so that nothing is sent
// that the last close would find, or be sure that the other's close is the last.
func Close(c Stream, closed func()) {
	done := func() {
		_ = c.Close() // nothing was written that could be lost
		if closed != nil {
			closed()
		}
	}
	if emptied(c) {
		done()
		return
	}
	later(done)
}

// Drop closes a descriptor of a file that others may have made, or of a socket in which others may
// have left descriptors, behind the connections that wait. Of -1 it does nothing.
func Drop(fd int) {
	if fd >= 0 {
		later(func() { _ = unix.Close(fd) }) // nothing was written that could be lost
	}
}

// later has the goroutine that closes do so. A thread for each would be one for each of another
// user's files.
func later(done func()) {
	late.mu.Lock()
	defer late.mu.Unlock()
	late.waits = append(late.waits, done)
	if !late.closes {
		late.closes = true
		go closeLate()
	}
}

// Late returns how many connections and descriptors wait to be closed.
func Late() int {
	late.mu.Lock()
	defer late.mu.Unlock()
	return len(late.waits)
}

func closeLate() {
	for {
		late.mu.Lock()
		if len(late.waits) == 0 {
			late.closes = false
			late.mu.Unlock()
			return
		}
		next := late.waits[0]
		late.waits = late.waits[1:]
		late.mu.Unlock()
		next()
	}
}
