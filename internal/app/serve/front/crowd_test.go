package front

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// neverEnding is a body of blanks.
type neverEnding struct{}

func (neverEnding) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// TestCrowd: a user has 64 connections, and fewer than are left for others, so that one more user
// is answered. Strangers take no place of those who may take leases, who may read, or of root; who
// leaves makes room.
func TestCrowd(t *testing.T) {
	var uid, gid atomic.Uint32
	socket := served(t, full(t),
		func(net.Conn) (peer, error) { return peer{uid: uid.Load(), gid: gid.Load()}, nil })
	open := func() (net.Conn, int) {
		t.Helper()
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = fmt.Fprintf(c, "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return c, 0 // it was one too many
		}
		a.Body.Close()
		return c, a.StatusCode
	}
	var last net.Conn
	for _, c := range []struct {
		what        string
		first, most uint32 // users
		group       uint32
		room        int
	}{
		{"strangers", 1, 9, 1, mostConnections[everybodys]},
		{"who may take leases", allowedUser, 5, 1, mostConnections[lessees]},
		{"who may read", 2001, 5, 77, mostConnections[readers]},
	} {
		taken := 0
		gid.Store(c.group)
		for user := range c.most {
			uid.Store(c.first + user)
			got := 0
			for range mostOfUser + 1 {
				if conn, status := open(); status == 200 {
					last = conn
					got++
				}
			}
			taken += got
			want := min(mostOfUser, (c.room-taken+got+1)/2)
			if got != want || got == 0 {
				t.Errorf("%s: user %d has %d connections, want %d", c.what, user, got, want)
			}
		}
	}
	uid.Store(0)
	if _, status := open(); status != 200 {
		t.Errorf("root: %d", status)
	}
	uid.Store(2005) // the last, who has as many as are left
	if _, status := open(); status == 200 {
		t.Error("one more than there is room for")
	}
	last.Close()
	for end := time.Now().Add(time.Minute); ; {
		if _, status := open(); status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nobody makes room")
		}
	}
}

// TestPlaceOfUntakenBytes: a peer that takes nothing of its answers keeps its place, also after the
// server has closed the connection, until it takes them or goes.
func TestPlaceOfUntakenBytes(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := newGate(l, func(net.Conn) (peer, error) { return peer{uid: 5}, nil })
	places := func() int {
		g.places.mu.Lock()
		defer g.places.mu.Unlock()
		return g.places.users[5]
	}
	for _, how := range []string{"goes", "takes"} {
		client, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("answer")); err != nil {
			t.Fatal(err)
		}
		c.Close()
		time.Sleep(20 * time.Millisecond)
		if places() != 1 {
			t.Errorf("%s: %d places are taken while the answer is not", how, places())
		}
		if how == "takes" {
			if _, err := client.Read(make([]byte, 100)); err != nil {
				t.Error(err)
			}
		}
		if how == "goes" {
			client.Close()
		}
		for end := time.Now().Add(devtest.Hung); places() != 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the place is never free", how)
			}
		}
		client.Close()
	}
}

// connected are the two ends of a connection to a socket.
func connected(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

// TestPeer: the kernel says who has connected.
func TestPeer(t *testing.T) {
	_, s := connected(t)
	p, err := peerOf(s)
	groups, _ := os.Getgroups()
	if err != nil || int(p.uid) != os.Getuid() || int(p.gid) != os.Getgid() ||
		len(p.groups) != len(groups) {
		t.Errorf("%+v, %v", p, err)
	}
}

// leaves sends a descriptor, which is left in the connection.
func leaves(t *testing.T, c net.Conn) {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err == nil {
		_, _, err = c.(*net.UnixConn).WriteMsgUnix([]byte("x"), unix.UnixRights(int(null.Fd())),
			nil)
		null.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// noneLate waits until nothing of other tests is to be closed.
func noneLate(t *testing.T) {
	t.Helper()
	for began := time.Now(); unixconn.Late() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > devtest.Hung {
			t.Fatalf("%d wait from before", unixconn.Late())
		}
	}
}

// TestTooManyWait: connections that have no place, and hold descriptors whose close waits, end the
// server where there are too many.
func TestTooManyWait(t *testing.T) {
	noneLate(t)
	client, server := connected(t)
	leaves(t, client)
	over, occupied := make(chan struct{}), make(chan struct{})
	defer close(over)
	unixconn.Close(server.(*net.UnixConn), func() { close(occupied); <-over })
	<-occupied
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const many = 8
	for range many {
		c, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		leaves(t, c)
	}
	g := newGate(l, func(net.Conn) (peer, error) { return peer{}, errors.New("nobody") })
	g.mostLate = many
	ended := make(chan error, 1)
	go func() { ended <- httpServer(newServer(full(t)).answer).Serve(g) }()
	select {
	case err := <-ended:
		if !errors.Is(err, errLate) {
			t.Error(err)
		}
	case <-time.After(devtest.Hung):
		t.Fatalf("%d wait, and it goes on", unixconn.Late())
	}
}

// TestCrowdsRefused: strangers who connect faster than the process closes do not end it. It takes
// them as fast as it closes them.
func TestCrowdsRefused(t *testing.T) {
	noneLate(t)
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(l, func(net.Conn) (peer, error) { return peer{}, errors.New("nobody") })
	g.mostLate = 64
	ended := make(chan error, 1)
	go func() { ended <- httpServer(newServer(full(t)).answer).Serve(g) }()
	for range 2000 {
		c, err := net.Dial("unix", l.Addr().String())
		if errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ended: %v", err)
	}
}
