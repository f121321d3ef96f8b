package places

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/sandbox/protocol"
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
	m := New(r, false)
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
	m.Take(99, []protocol.Origin{{Start: 1, End: 2}}) // of nobody
	m.Replaced(7)
	m.Take(image, []protocol.Origin{{Start: 1, End: 2}})
	if _, ok := m.Find(7, 100); ok || r.gone != 1 {
		t.Errorf("known of another program; %d forgotten", r.gone)
	}
}

// TestInVain: addresses that nobody knows are asked for ever more rarely, and so many at a time.
func TestInVain(t *testing.T) {
	r := &reader{}
	m := New(r, true)
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
