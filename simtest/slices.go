package simtest

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// openSlice begins a slice of c's thread.
func (m *Computer) openSlice(c *core, now units.Instant) {
	c.sliceFrom = now
	for i := range m.counted {
		c.given[i] = uint64(c.counted[i])
	}
}

// take puts the counts since the slice began into ev.
func (m *Computer) take(c *core, ev *epochs.Event) {
	readable := m.options.Faults.Readable(m.now.since())
	for i := range m.counted {
		v := uint64(c.counted[i])
		if readable {
			ev.Counters[i] = v - c.given[i]
		}
		c.given[i] = v
	}
}

// recordSlice closes the slice of c's thread, which continues.
func (m *Computer) recordSlice(c *core) {
	now := m.instant()
	if now == c.sliceFrom {
		return
	}
	ev := epochs.Event{Kind: epochs.Slice, At: now, From: c.sliceFrom, Thread: c.t.id,
		By: epochs.NoThread, CPU: int16(c.id)}
	m.take(c, &ev)
	c.sliceFrom = now
	m.record(&ev)
}

// closeSlices closes the slices of all running threads.
func (m *Computer) closeSlices() { m.closeOthers(nil) }

func (m *Computer) closeOthers(but *core) {
	if !m.records.open {
		return
	}
	for _, c := range m.cores {
		if c.own() && c != but {
			m.recordSlice(c)
		}
	}
}
