package many

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// settle ends a step. It emits the requests that follow from the wishes. A core gets an event if
// its clock is another tenant's wish, or has changed because its tenant runs elsewhere.
func (m *Governors) settle() {
	m.request()
	for _, c := range m.cores {
		if !c.present || c.failed != nil {
			continue
		}
		if f := m.delivered(c); f != c.believed && m.size > 1 && f != 0 {
			m.answer(c, &governor.Event{Kind: governor.Applied, At: m.now, Frequency: f})
		}
		held, by := m.held(c)
		if held <= c.wish {
			held = 0
		}
		if held != 0 {
			c.heldBy = by
		}
		if held != c.held {
			c.held = held
			m.answer(c, &governor.Event{Kind: governor.Held, At: m.now, Frequency: held})
		}
		m.confirm(c)
	}
}

// confirm answers a core whose wish needs no request, because another's made one before. Without an
// answer the core would wait for ever.
func (m *Governors) confirm(c *core) {
	if f := m.delivered(c); c.waits && f != 0 && f >= c.wish &&
		!c.unanswered(func(d int) bool { return m.runsOn(c, d) }) {
		m.answer(c, &governor.Event{Kind: governor.Applied, At: m.now, Frequency: f})
	}
}

// delivered returns the slowest clock that the machine reported of the domains where a tenant runs;
// 0 when none is known.
func (m *Governors) delivered(c *core) (slowest units.Frequency) {
	for d, f := range c.applied {
		if f != 0 && (slowest == 0 || f < slowest) && m.runsOn(c, d) {
			slowest = f
		}
	}
	return slowest
}

// held returns the least request for the domains where a tenant runs, and whose wish it is.
func (m *Governors) held(c *core) (least units.Frequency, by arbiter.Tenant) {
	for d := range m.size {
		if r := m.arbiter.At(arbiter.Domain(d)); m.runsOn(c, d) &&
			(least == 0 || r.Frequency < least) {
			least, by = r.Frequency, r.By
		}
	}
	return least, by
}

func (m *Governors) runsOn(c *core, d int) bool {
	return m.arbiter.Runs(c.number, arbiter.Domain(d))
}
