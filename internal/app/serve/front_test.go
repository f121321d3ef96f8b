package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// same returns how many descriptors this process has of a descriptor's file.
func same(t *testing.T, fd int) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	name := func(fd string) string {
		to, _ := os.Readlink(filepath.Join("/proc/self/fd", fd))
		return to
	}
	want := name(fmt.Sprint(fd))
	for _, e := range list {
		if name(e.Name()) == want {
			n++
		}
	}
	return n
}

// nothingWaits waits until what other tests have left is closed.
func nothingWaits(t *testing.T) {
	t.Helper()
	for began := time.Now(); unixconn.Late() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > devtest.Hung {
			t.Fatalf("%d wait from before", unixconn.Late())
		}
	}
}

// occupied has who closes connections wait until the test's end.
func occupied(t *testing.T) {
	t.Helper()
	nothingWaits(t)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err == nil {
		err = unix.Sendmsg(pair[1], []byte("x"), unix.UnixRights(pair[1]), nil, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	over, is := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over); unix.Close(pair[1]) })
	unixconn.Close(os.NewFile(uintptr(pair[0]), "a connection"), func() { close(is); <-over })
	<-is
}

// TestRefusedClosesFirst: the service has closed its own descriptor of a connection when it refuses
// a lease. So the last close, which takes as long as what the peer has left there, is the front
// process's, which holds the connection until then.
func TestRefusedClosesFirst(t *testing.T) {
	b := newBench(t)
	b.g.err = errLeaseTaken
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stranger := uint32(testUser + 1)
	asks := map[board.Outcome]board.Ask{ // at once, and later
		board.NotAllowed: {Slowdown: 0.05, For: &stranger}, board.Taken: {Slowdown: 0.05}}
	had := make(chan int, len(asks))
	t.Run("while another is closed", func(short *testing.T) {
		occupied(short)
		for want, ask := range asks {
			client, fd := b.connects()
			front, err := unix.Dup(fd)
			if err == nil {
				_, _, err = client.WriteMsgUnix([]byte("x"), unix.UnixRights(int(null.Fd())), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unix.Close(front) })
			text := ask.Encode()
			if err := b.take(text[:], fd, func(a *board.Answer) error {
				if a.Result != want {
					t.Errorf("result %d, want %d", a.Result, want)
				}
				had <- same(t, front)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(20 * time.Millisecond)
	})
	for range asks {
		select {
		case n := <-had:
			if n != 1 {
				t.Errorf("it has %d descriptors when it refuses", n-1)
			}
		case <-time.After(devtest.Hung):
			t.Fatal("no answer")
		}
	}
}

// TestTooMuchToClose: where too much waits to be closed, the service ends the front process that
// sends more, and starts no other.
func TestTooMuchToClose(t *testing.T) {
	nothingWaits(t)
	l, _ := newLeases(nil, config.Allow{})
	f := &fronted{leases: l, mostLate: 2}
	hears := func() error {
		t.Helper()
		p, err := sandbox.Launch(sandbox.FrontCommand)
		if err != nil {
			t.Fatal(err)
		}
		defer p.End()
		return f.hear(p)
	}
	if err := hears(); !errors.Is(err, errForged) {
		t.Errorf("while nothing waits: %v", err)
	}
	if !f.mayStart() {
		t.Error("it starts none")
	}
	occupied(t)
	null, err := unix.Open(os.DevNull, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	unixconn.Drop(null)
	if err := hears(); !errors.Is(err, errLate) {
		t.Errorf("while much waits: %v", err)
	}
	if f.mayStart() {
		t.Error("it starts another")
	}
}

// TestEndsTakeLong: the service does not wait for front processes whose end takes long, and starts
// no more than a few beside them.
func TestEndsTakeLong(t *testing.T) {
	f := &fronted{mostLate: mostLate, endTime: time.Millisecond}
	over, ended := make(chan struct{}), make(chan bool, 2*mostEndings)
	for i := range mostEndings {
		if !f.mayStart() {
			t.Errorf("after %d that have not ended it starts none", i)
		}
		f.finish(func() string { <-over; ended <- true; return "" })
	}
	if f.mayStart() || len(ended) > 0 {
		t.Errorf("%d have ended, and it starts another", len(ended))
	}
	close(over)
	for began := time.Now(); !f.mayStart(); time.Sleep(time.Millisecond) {
		if time.Since(began) > devtest.Hung {
			t.Fatal("it never starts one again")
		}
	}
	f.endTime = devtest.Hung
	if why := f.finish(func() string { return "a signal" }); why != "a signal" {
		t.Errorf("%q", why)
	}
}
