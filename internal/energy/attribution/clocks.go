package attribution

import (
	"iter"

	"github.com/ebb-energy/ebb/units"
)

// clocks has the machine's clock since the window that is being filled. Its events come in order,
// but slices and samples of the time before a change come after it.
type clocks struct{ changes []change }

// change is a clock that holds from a time on.
type change struct {
	at units.Instant
	to units.Frequency
}

// set notes a clock. A time before the last clock's counts as the last clock's.
func (c *clocks) set(at units.Instant, f units.Frequency) {
	if n := len(c.changes); n > 0 {
		last := &c.changes[n-1]
		if at <= last.at {
			last.to = f
		}
		if last.to == f {
			return
		}
	}
	c.changes = append(c.changes, change{at, f})
}

// now returns the newest clock; 0 before the first.
func (c *clocks) now() units.Frequency {
	if len(c.changes) == 0 {
		return 0
	}
	return c.changes[len(c.changes)-1].to
}

// holding returns the index of the clock at a time; that of the first clock for times before it.
func (c *clocks) holding(t units.Instant) int {
	i := len(c.changes) - 1
	for i > 0 && c.changes[i].at > t {
		i--
	}
	return i
}

// at returns the clock at a time; 0 where there is none yet.
func (c *clocks) at(t units.Instant) units.Frequency {
	if len(c.changes) == 0 {
		return 0
	}
	return c.changes[c.holding(t)].to
}

// between yields the parts of a time that have one clock each, by their ends.
func (c *clocks) between(from, to units.Instant) iter.Seq2[units.Instant, units.Frequency] {
	return func(yield func(units.Instant, units.Frequency) bool) {
		f := c.at(from)
		for i := c.holding(from) + 1; i < len(c.changes) && c.changes[i].at < to; i++ {
			if !yield(c.changes[i].at, f) {
				return
			}
			f = c.changes[i].to
		}
		yield(to, f)
	}
}

// forget drops the clocks that ended before a time.
func (c *clocks) forget(before units.Instant) {
	if n := c.holding(before); n > 0 {
		c.changes = append(c.changes[:0], c.changes[n:]...)
	}
}
