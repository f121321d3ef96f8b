package serve

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/lease"
)

// TestLeaseOldKernel: without a descriptor of the peer (before Linux 6.5) its id counts, unless its
// process began after the connection.
func TestLeaseOldKernel(t *testing.T) {
	b := newBench(t)
	new := pidfdOf
	defer func() { pidfdOf = new }()
	pidfdOf = func(int) (int, error) { return -1, unix.ENOPROTOOPT }
	fd, end := b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.hears("began after the connection", lease.Ended)
	end()
	fd, end = b.accepted(testUser, "leaves")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("has ended", lease.Ended)
	end()
	fd, end = b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("by its id", lease.Granted)
	end()
	<-b.g.back
}

// TestLeaseForged: what a front process that somebody has taken over could send instead of a
// connection that was made to the socket ends it, and nobody has a lease.
func TestLeaseForged(t *testing.T) {
	b := newBench(t)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	packets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		if c, err := net.Dial("unix", other.Addr().String()); err == nil {
			defer c.Close()
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	elsewhere, err := other.Accept()
	if err != nil {
		t.Fatal(err)
	}
	open := func(path string) int {
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	for what, fd := range map[string]int{"none": -1, "a file": open("/dev/null"),
		"a directory": open("/"), "a pair": pair[0], "packets": packets[0], "TCP": tcp,
		"what listens":     descriptor(t, b.l),
		"another socket's": descriptor(t, elsewhere.(*net.UnixConn))} {
		if err := b.asks(fd, 0.05, 0); err == nil {
			t.Errorf("takes %s", what)
		}
	}
	elsewhere.Close()
	_, _ = unix.Close(pair[1]), unix.Close(packets[1])
	for _, text := range []string{"", "x", strings.Repeat("\xff", lease.AskSize)} {
		fd, end := b.accepted(testUser, "")
		if err := b.take([]byte(text), fd, b.answer); err == nil {
			t.Errorf("takes %q", text)
		}
		end()
	}
	if len(b.answers)+len(b.g.took) > 0 {
		t.Error("something forged was answered")
	}
}
