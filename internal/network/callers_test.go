package network

import (
	"encoding/binary"
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

// TestCallers: what each of two functions sends is counted apart, by stacks that lead back to them.
// All together is what the threads sent.
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
		walked := x.Registers[16] == x.Frames[0] && len(x.Stack) >= 512
		if runtime.GOARCH != "amd64" { // nobody walks its stacks
			walked = x.Registers == [17]uint64{} && x.Stack == nil
		}
		if x.PID != os.Getpid() || x.At == 0 || !walked {
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
	if want := map[string]uint64{"sendMuch": 45_000, "sendLittle": 15_000}; !reflect.DeepEqual(sent,
		want) {
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

// callerRecord makes what caller.h writes, with registers of which each holds its place in struct
// pt_regs.
func callerRecord(cs uint64, frames []uint64, stack string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(nil, 5), 77)
	for _, v := range []int{40, 42, 8 * len(frames), len(stack)} {
		b = le.AppendUint32(b, uint32(v))
	}
	for i := range uint64(21) {
		if i == 17 {
			i = cs
		}
		b = le.AppendUint64(b, i)
	}
	for _, f := range frames {
		b = le.AppendUint64(b, f)
	}
	return append(b, stack...)
}

func TestDecodeCaller(t *testing.T) {
	var c callers
	if !c.decode(callerRecord(userCode, []uint64{1, 2}, "abc")) {
		t.Fatal("refused")
	}
	want := Caller{At: 5, PID: 40, TID: 42, Number: 77,
		Registers: [17]uint64{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16},
		Frames:    []uint64{1, 2}, Stack: []byte("abc")}
	if !reflect.DeepEqual(c.caller, want) {
		t.Errorf("%+v, want %+v", c.caller, want)
	}
	if !c.decode(callerRecord(0x23, []uint64{1}, "abc")) || c.caller.Stack != nil ||
		c.caller.Registers != [17]uint64{} || len(c.caller.Frames) != 1 {
		t.Errorf("32-bit code: %+v", c.caller)
	}
	long := callerRecord(userCode, make([]uint64, maxFrames+1), "")
	for _, bad := range [][]byte{nil, long, long[:callerHeader-1],
		callerRecord(userCode, []uint64{1, 2}, "abc")[:callerHeader+18]} {
		if c.decode(bad) {
			t.Errorf("%d bytes were taken: %+v", len(bad), c.caller)
		}
	}
}

func FuzzDecodeCaller(f *testing.F) {
	f.Add(callerRecord(userCode, []uint64{1, 2}, "abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c callers
		if c.decode(b) && callerHeader+8*len(c.caller.Frames)+len(c.caller.Stack) > len(b) {
			t.Errorf("%d frames and %d bytes of stack out of %d bytes", len(c.caller.Frames),
				len(c.caller.Stack), len(b))
		}
	})
}
