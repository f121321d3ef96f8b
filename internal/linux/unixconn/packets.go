package unixconn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Conn is one end of a SOCK_SEQPACKET socket. It is for one goroutine.
type Conn struct{ fd int }

// Pair makes a socket and returns its two ends.
func Pair() (a, b *Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket between processes: %w", err)
	}
	return &Conn{fds[0]}, &Conn{fds[1]}, nil
}

// New returns the end with this descriptor.
func New(fd int) *Conn { return &Conn{fd} }

// FD returns the end's descriptor.
func (c *Conn) FD() int { return c.fd }

// File returns a second descriptor of the end, to be handed to a process that is started.
func (c *Conn) File(name string) (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(c.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("hand on a socket: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// ErrFull says that the other end has not taken earlier packets yet.
var ErrFull = errors.New("the other process is busy")

// TrySend sends a packet, or fails with ErrFull. Go's scheduler does not see the call: it would
// wake its monitor thread, and the call cannot block.
func (c *Conn) TrySend(packet []byte) error {
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(c.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(packet))), uintptr(len(packet)),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		case unix.EAGAIN:
			return ErrFull
		default:
			return errno
		}
	}
}

// TryReceive takes a packet that is there, without a descriptor; n is 0 when there is none. It
// fails with io.EOF when the other end is closed. Go's scheduler does not see the call.
func (c *Conn) TryReceive(buf []byte) (n int, err error) {
	for {
		k, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(c.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)),
			unix.MSG_DONTWAIT, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			return 0, nil
		case errno != 0:
			return 0, errno
		case k == 0:
			return 0, io.EOF
		default:
			return int(k), nil
		}
	}
}

// Send sends a packet, with descriptors beside it. It waits until there is room.
func (c *Conn) Send(packet []byte, fds ...int) error { return c.send(packet, fds, 0) }

// TrySendFD sends a packet with a descriptor beside it, or fails with ErrFull.
func (c *Conn) TrySendFD(packet []byte, fd int) error {
	err := c.send(packet, []int{fd}, unix.MSG_DONTWAIT)
	if err == unix.EAGAIN {
		return ErrFull
	}
	return err
}

func (c *Conn) send(packet []byte, fds []int, flags int) error {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(c.fd, packet, rights, nil, unix.MSG_NOSIGNAL|flags)
		if err != unix.EINTR {
			return err
		}
	}
}

// rightsSize has room for as many descriptors as the kernel lets a packet have (SCM_MAX_FD, 253):
// those without room would be closed by the call that receives, which may wait for that.
const rightsSize = 1040

// Receive waits for a packet. Fd is the descriptor that came beside it, or -1; of several all but
// the first are dropped. N is 0 for a packet that is longer than buf. Receive fails with io.EOF
// when the other end is closed, or sends nothing, in which case there may be a descriptor as well.
func (c *Conn) Receive(buf []byte) (n, fd int, err error) {
	var rights [rightsSize]byte
	for {
		n, k, flags, _, err := unix.Recvmsg(c.fd, buf, rights[:], unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, -1, err
		}
		fd := first(rights[:k])
		if flags&unix.MSG_TRUNC != 0 {
			n = 0
		}
		if n == 0 && flags&unix.MSG_TRUNC == 0 {
			return 0, fd, io.EOF
		}
		return n, fd, nil
	}
}

// first returns the first descriptor of a control message; it drops the others.
func first(control []byte) int {
	out := -1
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return out
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			if out < 0 {
				out = fd
			} else {
				Drop(fd) // nobody asked for it
			}
		}
	}
	return out
}

// Wait waits until there is a packet, the other end is closed, or the time is over. It returns
// false when the time is over.
func (c *Conn) Wait(patience time.Duration) (bool, error) {
	end := time.Now().Add(patience)
	for {
		left := max(time.Until(end), 0)
		p := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, int((left+time.Millisecond-1)/time.Millisecond))
		runtime.KeepAlive(c)
		if err == unix.EINTR {
			continue
		}
		return n > 0, err
	}
}

// Close closes the end. A second Close does nothing.
func (c *Conn) Close() error {
	if c == nil || c.fd < 0 {
		return nil
	}
	fd := c.fd
	c.fd = -1
	return unix.Close(fd)
}
