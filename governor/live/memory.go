package live

import (
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// memory reads the memory controllers' counters.
type memory struct {
	read   func() (reads, writes uint64, ok bool) // nil: memory's traffic is not counted
	every  time.Duration
	at     units.Instant  // time of the last reading
	before governor.Event // reading before the target began; without a kind where that failed
}

// Memory has read called at a tick, if the last reading is as old as every. Read returns the lines
// that the machine has read and written so far, and whether that is known. It is also called before
// the target begins and once more at its end. Call Memory before Launch, Attach and AttachCgroup.
func (h *Host) Memory(every time.Duration, read func() (reads, writes uint64, ok bool)) {
	h.memory = memory{read: read, every: every}
}

// start takes the reading from which the target's traffic counts. The first tick could be too late
// for that, since ebb may wait for a CPU before it.
func (m *memory) start() {
	var buf [1]governor.Event
	m.traffic(buf[:], 0)
	m.before = buf[0]
}

// traffic emits what memory has moved so far.
func (m *memory) traffic(buf []governor.Event, at units.Instant) int {
	if m.read == nil {
		return 0
	}
	m.at = at
	reads, writes, ok := m.read()
	if !ok {
		return 0
	}
	buf[0] = governor.Event{Kind: governor.Traffic, At: at, Reads: reads, Writes: writes}
	return 1
}

// begin emits what memory had moved before the target began.
func (m *memory) begin(buf []governor.Event, at units.Instant) int {
	if m.before.Kind != governor.Traffic {
		return 0
	}
	m.before.At = at
	buf[0] = m.before
	return 1
}
