package governor

import "github.com/ebb-energy/ebb/units"

// clock is the delivered frequency over time: what it is and was a few quanta ago, and changes not
// yet passed.
type clock struct {
	changes []clockChange
	passed  int // changes before this index have been passed
}

type clockChange struct {
	at units.Instant
	f  units.Frequency
}

// clockHistory is how many passed changes are kept. Epochs come at most a quantum late, and a
// quantum has at most a few.
const clockHistory = 16

// change notes that f was delivered from at on.
func (c *clock) change(at units.Instant, f units.Frequency) {
	if n := len(c.changes); n > 0 && at < c.changes[n-1].at {
		at = c.changes[n-1].at
	}
	if c.passed > 2*clockHistory {
		drop := c.passed - clockHistory
		c.changes = append(c.changes[:0], c.changes[drop:]...)
		c.passed -= drop
	}
	c.changes = append(c.changes, clockChange{at, f})
	if len(c.changes) == 1 {
		c.passed = 1
	}
}

// upcoming is when the next change not yet passed happened.
func (c *clock) upcoming() (units.Instant, bool) {
	if c.passed >= len(c.changes) {
		return 0, false
	}
	return c.changes[c.passed].at, true
}

func (c *clock) pass() { c.passed++ }

// during is the frequency at t, the oldest known one for times before.
func (c *clock) during(t units.Instant) units.Frequency {
	for i := len(c.changes) - 1; i > 0; i-- {
		if c.changes[i].at <= t {
			return c.changes[i].f
		}
	}
	return c.changes[0].f
}
