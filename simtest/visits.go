package simtest

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Visits are an observer's work on idle cores. It takes energy and none of the program's time.
type Visits struct {
	// Reader is the time for which the observer's own thread runs after each tick, on the last idle
	// core. Where none is idle it does not count: see Options.Overhead.
	Reader time.Duration
	// Interrupt is the time of its timer's interrupt at the end of a quantum, on an idle core that
	// a thread of the program has left in one of the last Linger quanta.
	Interrupt time.Duration
	Linger    int
}

// visit lets the observer's timers fire at the end of a quantum.
func (m *Computer) visit(now units.Instant) {
	d := m.options.Visits.Interrupt
	if d == 0 {
		return
	}
	linger := units.Instant(m.options.Visits.Linger) * m.records.quantum
	for _, c := range m.cores {
		if c.t == nil && c.left > 0 && now-c.left < linger {
			m.meter.Visit(c.id, d)
		}
	}
}

// read lets the observer's thread run after a tick.
func (m *Computer) read() {
	d := m.options.Visits.Reader
	for i := len(m.cores) - 1; i >= 0 && d > 0; i-- {
		if c := m.cores[i]; c.t == nil && c.online {
			m.meter.Visit(c.id, d)
			return
		}
	}
}
