package sandbox

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// compiled returns code of a method.
func compiled(start, end uint64, name string) protocol.Origin {
	return protocol.Origin{Start: start, End: end, Made: true, Class: "C", Function: name,
		Signature: "()V"}
}

// TestMade: code that a Java virtual machine made is known until it must be read again, it is read
// again before, and what has taken its place counts at once.
func TestMade(t *testing.T) {
	for _, functions := range []bool{false, true} {
		r := &reader{}
		m := NewOrigins(r, functions)
		is := func(addr uint64, want string) {
			t.Helper()
			x, ok := m.Find(7, addr)
			if ok != (want != "") || ok && x.Function != want {
				t.Errorf("%d is %+v, %v, want %q", addr, x, ok, want)
			}
		}
		m.Tick(1000 * ms)
		is(100, "")
		m.Tick(1010 * ms)
		image := r.asked[0].Image
		answer := func(list ...protocol.Origin) { m.Take(image, list) }
		answer(protocol.Origin{Start: 1000, End: 1100, Function: "file"}, compiled(90, 200, "f"),
			compiled(200, 300, "g"), protocol.Origin{Start: 400, End: 500, Made: true})
		is(100, "f")
		is(299, "g")
		is(1001, "file")
		if x, ok := m.Find(7, 450); !ok || x.Class != "" {
			t.Errorf("the interpreter is %+v, %v", x, ok)
		}
		m.Tick(1050 * ms)
		is(100, "f")
		m.Tick(1060 * ms)
		if len(r.asked) != 1 {
			t.Errorf("asked again at once: %+v", r.asked)
		}
		m.Tick(1120 * ms)
		is(100, "f")
		is(101, "f")
		m.Tick(1121 * ms)
		if len(r.asked) != 2 || len(r.asked[1].Addrs) != 1 {
			t.Fatalf("asked %+v", r.asked)
		}
		answer(compiled(80, 120, "other"))
		is(100, "other")
		is(150, "") // it was f's
		is(250, "g")
		is(1001, "file") // an answer without files says nothing of them
		m.Tick(1265 * ms)
		is(250, "") // it was read 255 ms ago
		is(1001, "file")
		m.Tick(1310 * ms)
		if q := r.asked[len(r.asked)-1]; len(q.Addrs) != 1 || q.Addrs[0] != 250 {
			t.Errorf("asked %+v", q)
		}
		answer(compiled(200, 300, "h"))
		is(250, "h")
		m.Replaced(7)
		is(250, "")
		if m.places != 0 {
			t.Errorf("%d places of nobody", m.places)
		}
	}
}

// TestMadeIsBounded: however much code a machine claims to have made, so much is kept, and new code
// takes the place of old.
func TestMadeIsBounded(t *testing.T) {
	r := &reader{}
	m := NewOrigins(r, false)
	at := 1000 * ms
	for i := uint64(0); i < 3*maxMade; i += protocol.MaxOrigins {
		m.Find(7, 1<<40)
		at += 20 * ms
		m.Tick(at)
		var list []protocol.Origin
		for k := range uint64(protocol.MaxOrigins) {
			list = append(list, compiled(10*(i+k), 10*(i+k)+8, "f"))
		}
		m.Take(m.processes[7].image, list)
		if n := len(m.processes[7].made); n > maxMade || n != m.places {
			t.Fatalf("%d pieces, %d counted", n, m.places)
		}
		if _, ok := m.Find(7, 10*i+1); !ok {
			t.Fatalf("new code at %d has no room", 10*i+1)
		}
	}
}

// BenchmarkFindMade finds a method's code among that of a thousand.
func BenchmarkFindMade(b *testing.B) {
	m := NewOrigins(&reader{}, false)
	m.Find(7, 1<<40)
	for i := range uint64(1000) {
		m.Take(m.processes[7].image, []protocol.Origin{compiled(100*i, 100*i+90, "f")})
	}
	for i := range b.N {
		if _, ok := m.Find(7, uint64(i)%1000*100); !ok {
			b.Fatal(i)
		}
	}
}
