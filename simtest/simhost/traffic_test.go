package simhost_test

import (
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// moved notes what the memory controllers show.
type moved struct {
	t             *testing.T
	at            units.Instant
	reads, writes uint64
	readings      int
}

func (m *moved) Observe(ev *governor.Event, _ []governor.Action) {
	if ev.Kind != governor.Traffic {
		return
	}
	if ev.At <= m.at || ev.Reads < m.reads || ev.Writes < m.writes {
		m.t.Errorf("after %d and %d lines at %v: %d and %d at %v", m.reads, m.writes, m.at,
			ev.Reads, ev.Writes, ev.At)
	}
	m.at, m.reads, m.writes = ev.At, ev.Reads, ev.Writes
	m.readings++
}

// TestTrafficReachesQuanta: a simulated machine reports at each tick what its memory has moved, and
// quanta carry it.
func TestTrafficReachesQuanta(t *testing.T) {
	p := profile(t, "paper")
	m := moved{t: t}
	r := govern(t, saturating(),
		simtest.Options{Seed: 3, Counters: []string{"instructions", "dram_rd"}}, asDefault, &m)
	if m.readings < len(r.quanta)-1 || m.readings == 0 {
		t.Fatalf("%d readings in %d quanta", m.readings, len(r.quanta))
	}
	if reads, all := int64(m.reads), r.truth.DRAMReads; reads > all || reads < all*9/10 {
		t.Errorf("%d lines read, %d in all", reads, all)
	}
	counted := 0
	for i := range r.quanta {
		q := &r.quanta[i]
		if !q.MemoryCounted {
			continue
		}
		counted++
		if most := float64(q.Dur) / p.LineNs; float64(q.MemoryReads+q.MemoryWrites) > most*1.01 {
			t.Errorf("quantum %d: %d and %d lines in %v, where memory moves %.0f", i, q.MemoryReads,
				q.MemoryWrites, q.Dur, most)
		}
	}
	if counted < len(r.quanta)-2 {
		t.Errorf("counted in %d of %d quanta", counted, len(r.quanta))
	}
}
