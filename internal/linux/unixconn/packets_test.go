package unixconn

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func pair(t *testing.T) (a, b *Conn) {
	t.Helper()
	a, b, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// open returns the number of descriptors of this process.
func open(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestPackets(t *testing.T) {
	a, b := pair(t)
	buf := make([]byte, 16)
	if n, err := b.TryReceive(buf); n != 0 || err != nil {
		t.Errorf("of nothing: %d, %v", n, err)
	}
	if in, err := b.Wait(0); in || err != nil {
		t.Errorf("waits for nothing: %v, %v", in, err)
	}
	for _, send := range []func([]byte) error{a.TrySend,
		func(p []byte) error { return a.Send(p) }} {
		for _, text := range []string{"one", "two"} {
			if err := send([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if in, err := b.Wait(time.Minute); !in || err != nil {
			t.Errorf("%v, %v", in, err)
		}
		if n, err := b.TryReceive(buf); err != nil || string(buf[:n]) != "one" {
			t.Errorf("%q, %v", buf[:n], err)
		}
		if n, fd, err := b.Receive(buf); err != nil || fd != -1 || string(buf[:n]) != "two" {
			t.Errorf("%q, %d, %v", buf[:n], fd, err)
		}
	}
}

// TestTruncated: a packet that is longer than its reader takes is none, and what comes beside it is
// still the reader's to close.
func TestTruncated(t *testing.T) {
	a, b := pair(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := a.Send(make([]byte, 100), int(null.Fd())); err != nil {
		t.Fatal(err)
	}
	n, fd, err := b.Receive(make([]byte, 10))
	if n != 0 || fd < 0 || err != nil {
		t.Errorf("%d, %d, %v", n, fd, err)
	}
	unix.Close(fd)
}

// TestDescriptors: the first descriptor beside a packet is handed over, and any others are closed,
// also those that do not fit into the message. A reader that wants none gets none.
func TestDescriptors(t *testing.T) {
	nothingWaits(t)
	a, b := pair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	before, buf := open(t), make([]byte, 16)
	for _, count := range []int{1, 3, 40} {
		list := make([]int, count)
		for i := range list {
			list[i] = int(w.Fd())
		}
		if err := a.Send([]byte("x"), list...); err != nil {
			t.Fatal(err)
		}
		n, fd, err := b.Receive(buf)
		if n != 1 || fd < 0 || err != nil {
			t.Fatalf("%d descriptors: %d, %d, %v", count, n, fd, err)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags != unix.FD_CLOEXEC ||
			err != nil {
			t.Errorf("a program that is started inherits it: %d, %v", flags, err)
		}
		if _, err := unix.Write(fd, []byte{byte(count)}); err != nil {
			t.Error(err)
		}
		if _, err := r.Read(buf[:1]); err != nil || buf[0] != byte(count) {
			t.Errorf("another file: %d, %v", buf[0], err)
		}
		unix.Close(fd)
		if err := a.TrySendFD([]byte("y"), int(w.Fd())); err != nil {
			t.Fatal(err)
		}
		if n, err := b.TryReceive(buf); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		for end := time.Now().Add(time.Minute); open(t) != before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d descriptors sent: %d are open, not %d", count, open(t), before)
			}
		}
	}
}

// TestFull: a socket that is full is said at once, and has room again when the other end has taken
// something.
func TestFull(t *testing.T) {
	a, b := pair(t)
	p := make([]byte, 4096)
	sent := 0
	for ; sent < 1<<16; sent++ {
		if err := a.TrySend(p); errors.Is(err, ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if sent == 1<<16 {
		t.Fatal("it is never full")
	}
	if err := a.TrySendFD(p, b.FD()); !errors.Is(err, ErrFull) {
		t.Errorf("with a descriptor: %v", err)
	}
	for range sent {
		if _, _, err := b.Receive(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.TrySend(p); err != nil {
		t.Error(err)
	}
}

// TestEnded: the end of the other process is seen behind what it has sent.
func TestEnded(t *testing.T) {
	a, b := pair(t)
	if err := a.Send([]byte("last")); err != nil {
		t.Fatal(err)
	}
	a.Close()
	a.Close()
	buf := make([]byte, 16)
	if n, err := b.TryReceive(buf); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if in, err := b.Wait(time.Minute); !in || err != nil {
		t.Errorf("%v, %v", in, err)
	}
	if _, err := b.TryReceive(buf); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if _, _, err := b.Receive(buf); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if err := b.TrySend(buf); !errors.Is(err, unix.EPIPE) {
		t.Errorf("got %v", err)
	}
}
