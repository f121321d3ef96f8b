package devtest

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Lingers is the time for which the last close of Lingering's descriptor waits.
const Lingers = 2 * time.Minute

// Lingering returns a descriptor whose last close waits, as one of a FUSE file can. It is of a TCP
// connection whose other end takes nothing until the test's end.
func Lingering(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := dialed.(*net.TCPConn)
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	const buffer = 16 << 10
	_, _ = c.SetWriteBuffer(buffer), peer.(*net.TCPConn).SetReadBuffer(buffer) // or it takes more
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	fd := -1
	if failed := raw.Control(func(of uintptr) {
		err = unix.SetsockoptLinger(int(of), unix.SOL_SOCKET, unix.SO_LINGER,
			&unix.Linger{Onoff: 1, Linger: int32(Lingers / time.Second)})
		for err == nil {
			_, err = unix.Write(int(of), make([]byte, buffer))
		}
		if err == unix.EAGAIN { // it is full
			fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0)
		}
	}); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	return fd
}

// SendLingering sends Lingering's descriptor, which is nobody's then but the message's.
func SendLingering(t testing.TB, to *net.UnixConn) {
	t.Helper()
	fd := Lingering(t)
	_, _, err := to.WriteMsgUnix([]byte("x"), unix.UnixRights(fd), nil)
	if unix.Close(fd); err != nil {
		t.Fatal(err)
	}
}
