package opener

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// serve answers the governor and, once the governor has said where it is, the child. It returns
// when the governor has gone.
func serve(governor *unixconn.Conn, temp string) error {
	o := New(temp)
	var child *unixconn.Conn
	buf := make([]byte, protocol.MaxPacket)
	for {
		wait := []unix.PollFd{
			{Fd: int32(governor.FD()), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN},
		}
		if child != nil {
			wait[1].Fd = int32(child.FD())
		}
		if _, err := unix.Poll(wait, -1); err != nil && err != unix.EINTR {
			return err
		}
		if wait[0].Revents != 0 {
			n, fd, err := governor.Receive(buf)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if peer := o.obey(governor, buf[:n], fd); peer != nil {
				_ = child.Close() // the child that had it has gone
				child = peer
			}
			continue // the governor's packets are read ahead of the child's
		}
		if wait[1].Revents != 0 {
			n, fd, err := child.Receive(buf)
			if fd >= 0 {
				_ = unix.Close(fd) // none is expected
			}
			if err != nil || o.answer(child, buf[:n]) != nil {
				_ = child.Close()
				child = nil
			}
		}
	}
}

// obey does what the governor says. It returns the socket to a new child.
func (o *Opener) obey(governor *unixconn.Conn, b []byte, fd int) (child *unixconn.Conn) {
	if len(b) > 0 && protocol.Kind(b[0]) == protocol.KindPeer && fd >= 0 {
		return unixconn.New(fd)
	}
	if fd >= 0 {
		defer unix.Close(fd) // bindTo needs it for this call alone
	}
	if image, pid, err := protocol.DecodeBind(b); err == nil && fd >= 0 {
		_ = o.bindTo(image, int(pid), fd) // later questions about it then fail
	} else if image, err := protocol.DecodeForget(b); err == nil {
		o.Forget(image)
	} else if _, image, err := protocol.DecodeAsk(b, protocol.KindUnbind); err == nil {
		o.replaced(image)
	} else {
		_ = o.answer(governor, b) // the governor has gone if it fails
	}
	return nil
}

// answer opens what a packet asks for and sends the descriptor.
func (o *Opener) answer(c *unixconn.Conn, b []byte) error {
	r, err := protocol.DecodeOpen(b)
	if err != nil {
		return err
	}
	f, err := o.Open(&r)
	if err != nil {
		a := protocol.Opened{ID: r.ID, Reason: err.Error(), Absent: absent(err)}
		return c.Send(a.Encode())
	}
	defer f.Close() // the other process has a descriptor of its own
	a := protocol.Opened{ID: r.ID}
	return c.Send(a.Encode(), int(f.Fd()))
}
