package network

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// opened counts for this process alone, or for nobody, with places for so many threads.
func opened(t *testing.T, follow bool, places uint32) *Counter {
	return openedBy(t, follow, places, false)
}

func openedBy(t testing.TB, follow bool, places uint32, byCaller bool) *Counter {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("counting needs root")
	}
	spec, err := loadBytes()
	if err != nil {
		t.Fatal(err)
	}
	followed, err := ebpf.NewMap(spec.Maps["threads"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { followed.Close() })
	if follow {
		fd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := followed.Put(uint32(fd),
			make([]byte, spec.Maps["threads"].ValueSize)); err != nil {
			t.Fatal(err)
		}
	}
	spec.Maps["counts"].MaxEntries = places
	c, err := open(spec, followed, byCaller)
	if errors.Is(err, errNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// total returns what has been counted of all threads.
func total(t *testing.T, c *Counter) (sum Bytes) {
	t.Helper()
	counts, unreported, err := c.Read()
	if err != nil || unreported != 0 {
		t.Fatalf("%v; %d bytes unreported", err, unreported)
	}
	for _, n := range counts {
		if n.PID != os.Getpid() || n.TID == 0 || n.Comm == "" {
			t.Errorf("counted for %+v, which is not this process", n)
		}
		sum = sum.Plus(n.Bytes)
	}
	return sum
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestTCP: every byte of a stream, in whatever pieces it is sent and received, over both families.
func TestTCP(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		c := opened(t, true, 100)
		const size = 3_000_017
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v", at, err)
			continue
		}
		defer l.Close()
		done := make(chan int64, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				done <- -1
				return
			}
			defer conn.Close()
			n, _ := io.Copy(io.Discard, conn)
			done <- n
		}()
		conn := must[net.Conn](t)(net.Dial("tcp", l.Addr().String()))
		for sent, piece := 0, 1; sent < size; piece = min(3*piece, 100_000) {
			n := must[int](t)(conn.Write(make([]byte, min(piece, size-sent))))
			sent += n
		}
		conn.Close()
		if n := <-done; n != size {
			t.Fatalf("%d bytes arrived, want %d", n, size)
		}
		if got, want := total(t, c), (Bytes{LoopSent: size, LoopReceived: size}); got != want {
			t.Errorf("%s: %+v, want %+v", at, got, want)
		}
	}
}

// TestUDP: datagrams of connected and of unconnected sockets, empty ones and ones that are cut.
// Bytes that a program only peeks at (MSG_PEEK) do not count.
func TestUDP(t *testing.T) {
	c := opened(t, true, 100)
	server := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	defer server.Close()
	to := server.LocalAddr().(*net.UDPAddr)
	free := must[*net.UDPConn](t)(net.ListenUDP("udp4", nil)) // bound to no address
	defer free.Close()
	joined := must[*net.UDPConn](t)(net.DialUDP("udp4", nil, to))
	defer joined.Close()
	must[int](t)(free.WriteToUDP(make([]byte, 1001), to))
	closed := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	nobody := closed.LocalAddr().(*net.UDPAddr)
	closed.Close()
	// answered by the kernel, within the call
	must[int](t)(free.WriteToUDP(make([]byte, 11), nobody))
	must[int](t)(joined.Write(make([]byte, 702)))
	must[int](t)(joined.Write(nil))
	buf := make([]byte, 2000)
	raw := must[interface {
		Read(func(uintptr) bool) error
	}](t)(server.SyscallConn())
	if err := raw.Read(func(fd uintptr) bool {
		n, _, err := unix.Recvfrom(int(fd), buf, unix.MSG_PEEK)
		return err != nil || n == 1001
	}); err != nil {
		t.Fatal(err)
	}
	if n, _, err := server.ReadFromUDP(buf); err != nil || n != 1001 {
		t.Fatal(n, err)
	}
	// asks for no peer; the rest is lost
	if n, err := server.Read(buf[:100]); err != nil || n != 100 {
		t.Fatal(n, err)
	}
	if got, want := total(t, c), (Bytes{LoopSent: 1714, LoopReceived: 1101}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestNoPlace: threads for which there is no place are counted together.
func TestNoPlace(t *testing.T) {
	c := opened(t, true, 1)
	s := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	defer s.Close()
	for i := range 3 {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			_, err := s.WriteToUDP(make([]byte, 100+i), s.LocalAddr().(*net.UDPAddr))
			done <- err
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	counts, unreported, err := c.Read()
	if err != nil || unreported != 0 || len(counts) != 2 {
		t.Fatalf("%v: %+v, %d bytes unreported", err, counts, unreported)
	}
	if others, own := counts[0], counts[1]; others.TID != 0 || own.TID == 0 ||
		others.LoopSent+own.LoopSent != 303 || own.LoopSent < 100 || others.LoopSent < 100 {
		t.Errorf("%+v", counts)
	}
}

// TestNobody: a process that is not followed does not count.
func TestNobody(t *testing.T) {
	c := opened(t, false, 100)
	s := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	defer s.Close()
	must[int](t)(s.WriteToUDP(make([]byte, 300), s.LocalAddr().(*net.UDPAddr)))
	if got := total(t, c); got != (Bytes{}) {
		t.Errorf("%+v was counted for others", got)
	}
}
