package unixconn

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// accepted makes a connection.
func accepted(t *testing.T) (mine, theirs *net.UnixConn) {
	t.Helper()
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"}
	l, err := net.ListenUnix("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if theirs, err = net.DialUnix("unix", nil, at); err != nil {
		t.Fatal(err)
	}
	if mine, err = l.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	Inline(mine)
	t.Cleanup(func() { mine.Close(); theirs.Close() })
	return mine, theirs
}

// read is Read of a connection.
func read(t *testing.T, c *net.UnixConn, b []byte) (n int, err error) {
	t.Helper()
	raw, failed := c.SyscallConn()
	if failed == nil {
		failed = raw.Control(func(fd uintptr) { n, err = Read(int(fd), b) })
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return n, err
}

// TestRead: bytes come as they were sent, up to those that a descriptor came with.
func TestRead(t *testing.T) {
	mine, theirs := accepted(t)
	b := make([]byte, 8)
	if _, err := read(t, mine, b); err != unix.EAGAIN {
		t.Errorf("of nothing: %v", err)
	}
	for _, text := range []string{"abc", "defgh", "ij"} {
		if _, err := theirs.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	all := ""
	for len(all) < 10 {
		n, err := read(t, mine, b)
		if err != nil {
			t.Fatalf("after %q: %v", all, err)
		}
		all += string(b[:n])
	}
	if all != "abcdefghij" {
		t.Errorf("read %q", all)
	}
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = theirs.Write([]byte("k"))
	if err == nil {
		_, _, err = theirs.WriteMsgUnix([]byte("l"), unix.UnixRights(int(f.Fd())), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it stays there
		if n, err := read(t, mine, b); !errors.Is(err, ErrRights) {
			t.Errorf("%q, %v", b[:n], err)
		}
	}
	other, end := accepted(t)
	end.Close()
	if _, err := read(t, other, b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestReadOutOfBand: a descriptor that came with a byte out of band is not dropped either.
func TestReadOutOfBand(t *testing.T) {
	mine, theirs := accepted(t)
	raw, err := theirs.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.Sendmsg(int(fd), []byte("x"), unix.UnixRights(int(fd)), nil, unix.MSG_OOB)
	})
	if err == unix.EOPNOTSUPP {
		t.Skip("this kernel has no bytes out of band")
	}
	if failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	if _, err := theirs.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if n, err := read(t, mine, make([]byte, 8)); !errors.Is(err, ErrRights) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// TestCloseWaits: connections in which peers have left descriptors whose close waits hold up
// neither who closes them nor others' connections, and take one thread in all.
func TestCloseWaits(t *testing.T) {
	const many = 100
	closed := make(chan bool, many)
	for range many {
		mine, theirs := accepted(t)
		devtest.SendLingering(t, theirs)
		Close(mine, func() { closed <- true })
	}
	mine, theirs := accepted(t)
	if _, err := theirs.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool, 1)
	go Close(mine, func() { done <- true })
	select {
	case <-done:
	case <-time.After(devtest.Hung):
		t.Fatal("another connection is not closed")
	}
	if n := Late(); n < many-1 || len(closed) > 0 {
		t.Errorf("%d of %d wait, %d are closed", n, many, len(closed))
	}
	if threads, err := os.ReadDir("/proc/self/task"); err != nil || len(threads) > many/2 {
		t.Errorf("%d threads, %v", len(threads), err)
	}
}

// closed waits until what other tests have left is closed.
func closed(t *testing.T) {
	t.Helper()
	done := make(chan bool)
	later(func() { close(done) })
	select {
	case <-done:
	case <-time.After(devtest.Hung):
		t.Fatalf("%d wait from before", Late())
	}
}

// mayOpen raises the limit of open files for a test.
func mayOpen(t *testing.T, files uint64) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	raised := unix.Rlimit{Cur: max(before.Cur, files), Max: max(before.Max, files)}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &raised); err != nil {
		t.Skipf("it may not open %d files: %v", files, err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
}

// TestManyWait: however many connections and descriptors wait for one close, none is closed out of
// its turn, as a thread of its own would do.
func TestManyWait(t *testing.T) {
	const many = 2100
	mayOpen(t, 3*many)
	closed(t)
	held, peer := accepted(t)
	devtest.SendLingering(t, peer)
	Close(held, nil)
	var count atomic.Int32
	for range many {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fds[1])
		if err := unix.Sendmsg(fds[1], []byte("x"), unix.UnixRights(fds[1]), nil, 0); err != nil {
			t.Fatal(err)
		}
		Close(os.NewFile(uintptr(fds[0]), "a connection"), func() { count.Add(1) })
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	Drop(null)
	if n := Late(); n < many || count.Load() > 0 {
		t.Errorf("%d of %d wait, %d are closed", n, many+1, count.Load())
	}
	if _, err := unix.FcntlInt(uintptr(null), unix.F_GETFD, 0); err != nil {
		t.Errorf("what was dropped does not wait: %v", err)
	}
}
