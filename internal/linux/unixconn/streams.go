package unixconn

import (
	"errors"
	"io"
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

// Close closes a connection and calls closed, which may be nil, when it is. Where the peer has left
// descriptors in it, Close does not wait for that: one goroutine of the process closes these one
// behind the other, or all at once after EndThreads. Closed may then be called as late as the peers
// like; after EndThreads sockets do not linger. How many wait is for the callers to bound, by Late.
//
// Where another process has the connection as well, shut it down first, so that nothing is sent
// that the last close would find, or be sure that the other's close is the last.
func Close(c Stream, closed func()) {
	w := waiting{close: func() { _ = c.Close() }, closed: closed} // nothing written could be lost
	if emptied(c) {
		w.close()
		w.tell()
		return
	}
	later(w)
}

// Leave is Close of a connection that cannot be shut down first, so that the peer may still send.
func Leave(c Stream, closed func()) {
	later(waiting{close: func() { _ = c.Close() }, closed: closed}) // nothing written could be lost
}

// Drop closes a descriptor of a file that others may have made, or of a socket in which others may
// have left descriptors, behind the connections that wait. Of -1 it does nothing.
func Drop(fd int) {
	if fd >= 0 {
		later(waiting{close: func() { _ = unix.Close(fd) }}) // nothing written could be lost
	}
}
