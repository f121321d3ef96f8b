package sandbox

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// reader notes what it is asked.
type reader struct {
	asked []protocol.AskOrigins
	full  bool
	gone  int
}

func (r *reader) Bind(protocol.Image, int) {}
func (r *reader) Forget(protocol.Image)    { r.gone++ }

func (r *reader) AskOrigins(q *protocol.AskOrigins, _ units.Instant) bool {
	if r.full {
		return false
	}
	c := *q
	c.Addrs = append([]uint64(nil), q.Addrs...)
	r.asked = append(r.asked, c)
	return true
}

const ms = units.Instant(time.Millisecond)

// TestFind: an unknown address is asked for once in a while, and known from the answer on, until
// the process has another program.
func TestFind(t *testing.T) {
	r := &reader{}
	m := NewOrigins(r, false)
	if _, ok := m.Find(7, 100); ok {
		t.Fatal("it is known from nowhere")
	}
	r.full = true
	m.Tick(1 * ms)
	r.full = false
	m.Tick(2 * ms)
	if len(r.asked) != 1 || r.asked[0].PID != 7 || r.asked[0].Addrs[0] != 100 {
		t.Fatalf("asked %+v", r.asked)
	}
	image := r.asked[0].Image
	m.Take(image, []protocol.Origin{{Start: 200, End: 300}, {Start: 90, End: 110, BuildID: "aa"},
		{Start: 250, End: 260}})
	if p, ok := m.Find(7, 109); !ok || p.BuildID != "aa" {
		t.Errorf("%+v, %v", p, ok)
	}
	for addr, want := range map[uint64]bool{89: false, 90: true, 110: false, 255: true,
		300: false} {
		if _, ok := m.Find(7, addr); ok != want {
			t.Errorf("%d: %v", addr, ok)
		}
	}
	m.Take(99, []protocol.Origin{{Start: 1, End: 2}}) // nobody has the image
	m.Replaced(7)
	m.Take(image, []protocol.Origin{{Start: 1, End: 2}})
	if _, ok := m.Find(7, 100); ok || r.gone != 1 {
		t.Errorf("known of another program; %d forgotten", r.gone)
	}
}

// TestInVain: addresses that nobody knows are asked for ever more rarely, and so many at a time.
func TestInVain(t *testing.T) {
	r := &reader{}
	m := NewOrigins(r, true)
	for at := units.Instant(0); at < 20000*ms; at += ms {
		m.Find(1, uint64(at))
		m.Tick(at + 1)
		if n := len(r.asked); n > 0 && at%(50*ms) == 0 {
			m.Take(r.asked[n-1].Image, nil)
		}
	}
	if n := len(r.asked); n < 5 || n > 15 {
		t.Errorf("asked %d times", n)
	}
	for i := range 2 * maxProcesses {
		m.Find(i, 5)
	}
	if len(m.processes) > maxProcesses {
		t.Errorf("%d processes", len(m.processes))
	}
	for _, q := range r.asked {
		if len(q.Addrs) > protocol.MaxOrigins {
			t.Errorf("%d addresses", len(q.Addrs))
		}
	}
}

// TestPlacesAreBounded: however much code processes claim to have, so many places are kept, and
// those of programs that are gone make room.
func TestPlacesAreBounded(t *testing.T) {
	m := NewOrigins(&reader{}, true)
	claim := func(pid, n int) {
		m.Find(pid, 1<<40)
		image := m.processes[pid].image
		for from := 0; from < n; from += protocol.MaxOrigins {
			var list []protocol.Origin
			for i := range uint64(protocol.MaxOrigins) {
				at := uint64(from) + i
				list = append(list, protocol.Origin{Start: 2 * at, End: 2*at + 1})
			}
			m.Take(image, list)
		}
	}
	const full = maxAllPlaces / maxPlaces
	for pid := range full + 2 {
		claim(pid, maxPlaces+1000)
	}
	kept := func() (n int) {
		for _, p := range m.processes {
			n += len(p.list)
		}
		return n
	}
	if kept() != maxAllPlaces || m.places != maxAllPlaces {
		t.Errorf("%d places, %d counted", kept(), m.places)
	}
	m.Replaced(0)
	claim(full, 100)
	if got := len(m.processes[full].list); got < 100 || m.places != kept() {
		t.Errorf("%d places in the room of another, %d counted of %d", got, m.places, kept())
	}
}
