package front

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// lending is a server and the service's end of its lender. Answer says what the service answers;
// nil: nothing.
func lending(t *testing.T, answer func(a *board.Ask, fd int) *board.Answer) (socket string) {
	t.Helper()
	socket, _ = lendingTo(t, peerOf, answer)
	return socket
}

// lendingTo is lending to peers as who says.
func lendingTo(t *testing.T, who func(net.Conn) (peer, error),
	answer func(a *board.Ask, fd int) *board.Answer,
) (socket string, g *gate) {
	t.Helper()
	mine, theirs, err := unixconn.Pair()
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(full(t))
	s.lender = newLender(theirs.FD())
	heard := make(chan error, 1)
	go func() { heard <- s.lender.listen() }()
	served := make(chan struct{})
	go func() {
		defer close(served)
		buf := make([]byte, board.AskSize)
		for {
			n, fd, err := mine.Receive(buf)
			if err != nil {
				return
			}
			a, err := board.DecodeAsk(buf[:n])
			if err != nil || fd < 0 {
				t.Errorf("asks %x, %d: %v", buf[:n], fd, err)
				continue
			}
			if out := answer(&a, fd); out != nil {
				out.ID = a.ID
				text := out.Encode()
				if err := mine.Send(text[:]); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	h := httpServer(s.answer)
	done := make(chan error)
	g = newGate(l, who)
	go func() { done <- h.Serve(g) }()
	t.Cleanup(func() {
		h.Close()
		<-done
		_ = unix.Shutdown(mine.FD(), unix.SHUT_RDWR)
		<-served
		if err := <-heard; err != nil {
			t.Error(err)
		}
		mine.Close()
		theirs.Close()
	})
	return socket, g
}

// TestLeaseAnswers: each result is an answer that the document describes.
func TestLeaseAnswers(t *testing.T) {
	d := readDocument(t)
	for result, want := range map[board.Outcome]int{board.Granted: 200, board.NotAllowed: 403,
		board.OutOfRange: 403, board.TooMany: 429, board.Taken: 409, board.Ended: 409,
		board.OthersRights: 403, board.NoPeer: 503, board.NotNow: 503, board.TooSoon: 429,
		board.Full: 503, board.NoCgroup: 403, board.CgroupTaken: 409, board.NotRoot: 403,
		board.NoNamespace: 403, board.NoPod: 403} {
		socket := lending(t, func(a *board.Ask, fd int) *board.Answer {
			if a.Slowdown != 0.05 || a.Cgroup != "/a b/\u00e4" || a.For == nil || *a.For != 1000 ||
				a.Namespace != "shop" {
				t.Errorf("a slowdown of %v for %q and %v in %q", a.Slowdown, a.Cgroup, a.For,
					a.Namespace)
			}
			unix.Close(fd)
			return &board.Answer{Result: result, User: 1000, Number: 3, Least: 0.1, Most: 0.2}
		})
		status, kind, text := ask(t, socket, "POST", api.LeasePath,
			strings.NewReader(`{"slowdown": "5%", "cgroup": "/a b/\u00e4", "for": 1000,
				"namespace": "shop"}`))
		if status != want {
			t.Errorf("%v: %d %s", result, status, text)
		}
		if err := d.check("POST", api.LeasePath, status, kind, []byte(text)); err != nil {
			t.Errorf("%v: %v in %s", result, err, text)
		}
		if result == board.Granted && !strings.Contains(text, `"lease.1000.3"`) {
			t.Error(text)
		}
		if result == board.OutOfRange && !strings.Contains(text, "10% to 20%") {
			t.Error(text)
		}
	}
}

// TestLeaseOfAnOldConnection: the service does not hear of one, whose age it would not believe.
func TestLeaseOfAnOldConnection(t *testing.T) {
	mine, theirs, err := unixconn.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	defer theirs.Close()
	c, _ := connected(t)
	for _, age := range []time.Duration{2 * oldest, 61 * time.Minute, 1000 * time.Hour} {
		v := &visitor{Conn: c, peer: peer{at: monotonic.Now().Add(-age)}}
		_, err := newLender(theirs.FD()).ask(t.Context(), v, board.Ask{})
		if !errors.Is(err, errOld) {
			t.Errorf("after %v: %v", age, err)
		}
	}
	if there, err := mine.Wait(0); there || err != nil {
		t.Errorf("the service heard of it: %v", err)
	}
}

// TestLeaseMistakes: what is no wish is one sentence, and the service does not hear of it.
func TestLeaseMistakes(t *testing.T) {
	d := readDocument(t)
	socket := lending(t, func(a *board.Ask, fd int) *board.Answer {
		t.Errorf("it heard of %+v", a)
		return nil
	})
	for body, want := range map[string]int{
		"": 400, "nonsense": 400, "{}": 400, `{"slowdown": 5}`: 400, `{"slowdown": 0.05}`: 400,
		`{"slowdown": "5"}`: 400, `{"slowdown": "101%"}`: 400, `{"slowdown": "-1%"}`: 400,
		`{"slowdown": "5%", "cgroup": ""}`: 400, `{"slowdown": "5%", "cgroup": "a"}`: 400,
		`{"slowdown": "5%", "cgroup": 1}`: 400, `{"cgroup": "/a"}`: 400,
		`{"slowdown": "5%", "cgroup": "/` + strings.Repeat("a", board.MostCgroup) + `"}`: 400,
		`{"slowdown": "5%", "cgroup": "/a\u0000b"}`:                                      400,
		`{"slowdown": "5%", "for": "1000"}`:                                              400, `{"slowdown": "5%", "for": -1}`: 400,
		`{"slowdown": "5%", "for": 1.5}`: 400, `{"slowdown": "5%", "for": 4294967295}`: 400,
		`{"slowdown": "5%", "for": null}`: 400, `{"for": 1000}`: 400,
		`{"slowdown": "5%", "namespace": "shop"}`:                                            400,
		`{"slowdown": "5%", "cgroup": "/a", "namespace": "` + strings.Repeat("a", 64) + `"}`: 400,
		`{"slowdown": "5%", "cgroup": "/a", "namespace": 1}`:                                 400,
		`{"slowdown": "5%", "cgroup": "/a", "namespace": ""}`:                                400,
		`{"slowdown": "NaN%"}`: 400, `{"slowdown": "5%", "pid": 1}`: 400, `["5%"]`: 400,
		`{"slowdown": "5%"} {}`: 400, `{"slowdown": "` + strings.Repeat("5", 70<<10) + `%"}`: 413,
		strings.Repeat("[", 60<<10): 400,
	} {
		status, kind, text := ask(t, socket, "POST", api.LeasePath, strings.NewReader(body))
		var said api.Error
		if err := json.Unmarshal([]byte(text), &said); err != nil || status != want ||
			said.Error == "" || len(said.Error) > 300 {
			t.Errorf("%.60s: %d %.300s", body, status, text)
		}
		if err := d.check("POST", api.LeasePath, status, kind, []byte(text)); err != nil {
			t.Errorf("%.60s: %v", body, err)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		if status, _, _ := ask(t, socket, method, api.LeasePath, nil); status != 405 {
			t.Errorf("%s: %d", method, status)
		}
	}
	if status, _, _ := ask(t, served(t, full(t), peerOf), "POST", api.LeasePath,
		strings.NewReader(`{"slowdown": "5%"}`)); status != 503 {
		t.Errorf("without a service: %d", status)
	}
}

// TestRefusedConnectionEnds: who gets no lease connects again to ask again.
func TestRefusedConnectionEnds(t *testing.T) {
	socket := lending(t, func(_ *board.Ask, fd int) *board.Answer {
		unix.Close(fd)
		return &board.Answer{Result: board.Taken}
	})
	for _, body := range []string{`{"slowdown": "5%"}`, "nonsense"} {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r, _ := http.NewRequest("POST", "http://x"+api.LeasePath, strings.NewReader(body))
		if err := r.Write(c); err != nil {
			t.Fatal(err)
		}
		from := bufio.NewReader(c)
		a, err := http.ReadResponse(from, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode == 200 || !a.Close {
			t.Errorf("%s: %s, closes %t, %v", body, a.Status, a.Close, err)
		}
		_ = c.SetReadDeadline(time.Now().Add(devtest.Hung))
		if _, err := from.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: it stays open: %v", body, err)
		}
	}
}

// TestLeaseIsTheServices: with a lease the connection is the service's alone. It has no place at
// the front, no time that ends it there, and its end is heard.
func TestLeaseIsTheServices(t *testing.T) {
	fds := make(chan int, 2*mostOfUser)
	socket := lending(t, func(a *board.Ask, fd int) *board.Answer {
		fds <- fd
		return &board.Answer{User: 7, Number: 1}
	})
	for i := range mostOfUser + 10 { // more than a user's places
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := http.NewRequest("POST", "http://x"+api.LeasePath,
			strings.NewReader(`{"slowdown": "5%"}`))
		if err := r.Write(c); err != nil {
			t.Fatal(err)
		}
		from := bufio.NewReader(c)
		a, err := http.ReadResponse(from, r)
		if err != nil {
			t.Fatalf("lease %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode != 200 {
			t.Fatal(a.Status, err)
		}
		fd := <-fds
		defer unix.Close(fd)
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		var end net.Error
		if _, err := from.ReadByte(); !errors.As(err, &end) || !end.Timeout() {
			t.Fatalf("lease %d: the connection has ended: %v", i, err)
		}
		c.Close()
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		if n, err := unix.Poll(poll, int(devtest.Hung.Milliseconds())); n != 1 || err != nil {
			t.Fatalf("lease %d: its end is not heard: %v", i, err)
		}
	}
}

// TestStrangerIsRefused: the service does not hear of one who may take no lease, where all who may
// are on the board.
func TestStrangerIsRefused(t *testing.T) {
	heard := make(chan bool, 9)
	answer := func(_ *board.Ask, fd int) *board.Answer {
		unix.Close(fd)
		heard <- true
		return &board.Answer{Result: board.TooMany}
	}
	for user, want := range map[uint32]int{0: 429, allowedUser: 429, 5: 403} {
		socket, _ := lendingTo(t, func(net.Conn) (peer, error) { return peer{uid: user}, nil },
			answer)
		status, _, text := ask(t, socket, "POST", api.LeasePath,
			strings.NewReader(`{"slowdown": "5%"}`))
		if status != want || (len(heard) > 0) != (want == 429) {
			t.Errorf("user %d: %d %s, %d heard", user, status, text, len(heard))
		}
		for len(heard) > 0 {
			<-heard
		}
	}
}

// TestAskedKeepsItsPlace: a connection for which the service was asked keeps its place here, and
// its descriptor, until the service has answered. The one who asked cannot end that by a descriptor
// behind the request, whose close would then be the service's.
func TestAskedKeepsItsPlace(t *testing.T) {
	theirs, release := make(chan int, 1), make(chan bool)
	socket, g := lendingTo(t, peerOf, func(_ *board.Ask, fd int) *board.Answer {
		theirs <- fd
		<-release
		unix.Close(fd)
		return &board.Answer{Result: board.NotAllowed}
	})
	places := func() int {
		g.places.mu.Lock()
		defer g.places.mu.Unlock()
		return g.places.users[uint32(os.Getuid())]
	}
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, _ := http.NewRequest("POST", "http://x"+api.LeasePath,
		strings.NewReader(`{"slowdown": "5%"}`))
	if err := r.Write(c); err != nil {
		t.Fatal(err)
	}
	<-theirs
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	_, _, err = c.(*net.UnixConn).WriteMsgUnix([]byte("x"), unix.UnixRights(int(null.Fd())), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(devtest.Hung))
	a, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil || a.StatusCode != 503 {
		t.Fatalf("%+v, %v", a, err)
	}
	time.Sleep(20 * time.Millisecond)
	if places() != 1 {
		t.Errorf("%d places are taken while the service has not answered", places())
	}
	close(release)
	for end := time.Now().Add(devtest.Hung); places() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the place is never free")
		}
	}
}

// TestLeaseForgedAnswers: a service that makes no sense ends the process.
func TestLeaseForgedAnswers(t *testing.T) {
	for _, text := range [][]byte{{1}, bytes.Repeat([]byte{255}, board.AnswerSize),
		make([]byte, board.AnswerSize+1)} {
		mine, theirs, err := unixconn.Pair()
		if err != nil {
			t.Fatal(err)
		}
		if err := mine.Send(text); err != nil {
			t.Fatal(err)
		}
		if err := newLender(theirs.FD()).listen(); err == nil {
			t.Errorf("takes %x", text)
		}
		mine.Close()
		theirs.Close()
	}
}
