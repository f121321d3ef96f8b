package unixconn

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
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

// TestCloseDoesNotLinger: connections in which peers have left sockets that linger, and such
// sockets themselves, are closed at once, and none of this process's threads waits for their peers.
func TestCloseDoesNotLinger(t *testing.T) {
	const many = 100
	endsThreads(t)
	closed := make(chan bool, many)
	began := time.Now()
	for range many {
		mine, theirs := accepted(t)
		devtest.SendLingering(t, theirs)
		Close(mine, func() { closed <- true })
	}
	Drop(devtest.Lingering(t))
	for range many {
		select {
		case <-closed:
		case <-time.After(devtest.Lingers - time.Since(began)):
			t.Fatalf("%d of %d linger", many-len(closed), many)
		}
	}
	nothingWaits(t)
	if took := time.Since(began); took > devtest.Lingers/2 {
		t.Errorf("it took %v", took)
	}
}

// TestCloseKeepsTheRest: who closes keeps no descriptor of another file open, and ends no lock.
func TestCloseKeepsTheRest(t *testing.T) {
	endsThreads(t)
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	mine, theirs := accepted(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	devtest.SendLingering(t, theirs)
	Close(mine, nil)
	nothingWaits(t)
	w.Close()
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the pipe is still open: %v", err)
	}
	other, err := os.Open("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	text, err := io.ReadAll(other)
	if want := fmt.Sprintf("POSIX  ADVISORY  WRITE %d ", os.Getpid()); err != nil ||
		!strings.Contains(string(text), want) {
		t.Errorf("no %q in %s, %v", want, text, err)
	}
}

// endsThreads has this process, which has no children, close as the front process does.
func endsThreads(t *testing.T) {
	nothingWaits(t)
	EndThreads()
	t.Cleanup(func() {
		late.mu.Lock()
		defer late.mu.Unlock()
		late.ends = false
	})
}

// nothingWaits waits until what was to be closed is.
func nothingWaits(t *testing.T) {
	t.Helper()
	for began := time.Now(); Late() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > devtest.Hung {
			t.Fatalf("%d wait", Late())
		}
	}
}

// occupied has who closes wait until the test's end.
func occupied(t *testing.T) {
	t.Helper()
	nothingWaits(t)
	over, is := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over) })
	later(waiting{close: func() {}, closed: func() { close(is); <-over }})
	<-is
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
	occupied(t)
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
