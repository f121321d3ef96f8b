package rapl

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// maxPower is more than any zone draws. A smaller value that would need more power is no wrap but a
// reset, as by suspend or a hot-plugged package.
const maxPower units.Power = 20_000

// frozenAfter is the time for which a counter may stand still before it is called frozen. The
// hardware updates each about every millisecond, and even an idle package draws a watt.
const frozenAfter = time.Second

// counter sums up the readings of one meter, which wraps around. It is pure; the zero value with a
// span is ready.
type counter struct {
	span units.Energy // the value it wraps at; 0 for one that never does

	started bool
	last    units.Energy  // the reading before
	at      units.Instant // when that was
	moved   units.Instant // when it last changed

	total  units.Energy
	resets int
	holes  time.Duration // time about which nothing is known, because of resets
}

// add takes a reading. It adds the energy since the reading before to the total.
//
// A smaller value means a wrap, of which there may be only one between two readings, or a reset. A
// reset adds no energy, because the energy used meanwhile is unknown.
func (c *counter) add(v units.Energy, at units.Instant) {
	if !c.started {
		c.started, c.last, c.at, c.moved = true, v, at, at
		return
	}
	used := v - c.last
	if used < 0 && c.span > 0 {
		used += c.span
	}
	dt := at.Sub(c.at)
	// Updates are not in step with the readings: allow one of a millisecond.
	if used < 0 || used.Over(dt+time.Millisecond) > maxPower {
		c.resets++
		c.holes += dt
		used = 0
	}
	if v != c.last {
		c.moved = at
	}
	c.total = c.total.Plus(used)
	c.last, c.at = v, at
}

// frozen reports whether the counter has stood still for long, at its last reading.
func (c *counter) frozen() bool { return c.started && c.at.Sub(c.moved) >= frozenAfter }
