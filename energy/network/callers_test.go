package network

import (
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

//go:noinline
func sendMuch(t *testing.T, s *net.UDPConn, to *net.UDPAddr) {
	must[int](t)(s.WriteToUDP(make([]byte, 900), to))
}

//go:noinline
func sendLittle(t *testing.T, s *net.UDPConn, to *net.UDPAddr) {
	must[int](t)(s.WriteToUDP(make([]byte, 300), to))
}

// TestCallers: what each of two functions sends is counted apart, by stacks that lead back to them. All together is what the
// threads sent.
func TestCallers(t *testing.T) {
	c := openedBy(t, true, 100, true)
	s := must[*net.UDPConn](t)(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	defer s.Close()
	for range 50 {
		sendMuch(t, s, s.LocalAddr().(*net.UDPAddr))
		sendLittle(t, s, s.LocalAddr().(*net.UDPAddr))
	}
	functions := map[uint64]string{}
	c.Callers(func(x *Caller) {
		if x.PID != os.Getpid() || x.At == 0 || x.Registers[16] != x.Frames[0] || len(x.Stack) < 512 {
			t.Errorf("%+v", x)
		}
		frames := runtime.CallersFrames(pcs(x.Frames[1:]))
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if _, name, _ := strings.Cut(f.Function, "network."); strings.HasPrefix(name, "send") {
				functions[x.Number] = name
			}
		}
	})
	counts, unseen, err := c.ReadCallers()
	if err != nil || unseen != 0 {
		t.Fatalf("%v; %d unseen", err, unseen)
	}
	sent := map[string]uint64{}
	var all uint64
	for _, n := range counts {
		sent[functions[n.Number]] += n.LoopSent
		all += n.LoopSent
	}
	if want := map[string]uint64{"sendMuch": 45_000, "sendLittle": 15_000}; !reflect.DeepEqual(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	if got := total(t, c); got.LoopSent != all {
		t.Errorf("the threads sent %d bytes, their callers %d", got.LoopSent, all)
	}
}

func pcs(frames []uint64) (out []uintptr) {
	for _, f := range frames {
		out = append(out, uintptr(f))
	}
	return out
}
