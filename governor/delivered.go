package governor

import "github.com/ebb-energy/ebb/units"

// delivered is the frequency that the machine reported over time: now, a few quanta ago, and
// changes not yet passed.
type delivered struct {
	changes []clockChange // ascending in time
	passed  int           // changes before this index have been passed; <= len(changes)
}

type clockChange struct {
	at units.Instant
	f  units.Frequency
}

// keptChanges is the number of passed changes that are kept. Epochs come at most a quantum late,
// and a quantum has at most a few.
const keptChanges = 16

// change enters that f was delivered from at on.
func (c *delivered) change(at units.Instant, f units.Frequency) {
	if n := len(c.changes); n > 0 && at < c.changes[n-1].at {
		at = c.changes[n-1].at
	}
	if c.passed > 2*keptChanges {
		drop := c.passed - keptChanges
		c.changes = append(c.changes[:0], c.changes[drop:]...)
		c.passed -= drop
	}
	c.changes = append(c.changes, clockChange{at, f})
	if len(c.changes) == 1 {
		c.passed = 1
	}
}

// upcoming returns the time of the next change not yet passed.
func (c *delivered) upcoming() (units.Instant, bool) {
	if c.passed >= len(c.changes) {
		return 0, false
	}
	return c.changes[c.passed].at, true
}

func (c *delivered) pass() { c.passed++ }

// at returns the frequency at t, or the oldest known one for earlier times.
func (c *delivered) at(t units.Instant) units.Frequency {
	for i := len(c.changes) - 1; i > 0; i-- {
		if c.changes[i].at <= t {
			return c.changes[i].f
		}
	}
	return c.changes[0].f
}
