package rapl

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// maxPower is more than any zone draws. A leap that would need more power is a reset, as by suspend
// or a hot-plugged package.
const maxPower units.Power = 20_000

// frozenAfter is the time for which a counter may stand still before it is called frozen. The
// hardware updates each about every millisecond, and even an idle package draws a watt.
const frozenAfter = time.Second

// counter sums up the readings of one meter, which wraps around. It is pure; the zero value with a
// span is ready.
type counter struct {
	span units.Energy // the value it wraps at; 0 for one that never does
	most units.Power  // that its zone can draw; 0 for maxPower

	started bool
	last    units.Energy  // the reading before
	at      units.Instant // when that was
	moved   units.Instant // when it last changed

	total  units.Energy
	resets int
	holes  time.Duration // time about which nothing is known, because of resets

	begun  units.Instant // the time of the first reading
	since  units.Instant // the begin of the second that goes on
	before units.Energy  // the total then
	power  units.Power   // the highest mean of a second, or more where readings are rarer
	peak   units.Power   // the highest mean between two readings that are not close together
}

// add takes a reading. It adds the energy since the reading before to the total. Of a time before
// that one's, it counts as taken at once: its energy was used, whoever gave it the wrong time.
//
// A smaller value means a wrap, of which there may be only one between two readings, or a reset: a
// new start, or a step back. A reset adds no energy, because the energy used meanwhile is unknown.
func (c *counter) add(v units.Energy, at units.Instant) {
	if !c.started {
		c.started, c.last, c.at, c.moved, c.begun, c.since = true, v, at, at, at, at
		return
	}
	at = max(at, c.at)
	used := v - c.last
	fell := used < 0
	if fell && c.span > 0 {
		used += c.span
	}
	dt := at.Sub(c.at)
	// Updates are not in step with the readings: allow one of a millisecond.
	if used < 0 || used.Over(dt+time.Millisecond) > maxPower || fell && c.stepped(used, dt) {
		c.resets++
		c.holes += dt
		used = 0
	}
	if v != c.last {
		c.moved = at
	}
	c.total = c.total.Plus(used)
	c.last, c.at = v, at
	if dt >= leastSure {
		c.peak = max(c.peak, used.Over(dt))
	}
	if second := at.Sub(c.since); second >= time.Second {
		c.power = max(c.power, (c.total - c.before).Over(second))
		c.since, c.before = at, c.total
	}
}

const (
	// leastSure is the least time over which a mean power says something: the counters advance in
	// steps of a millisecond.
	leastSure = 50 * time.Millisecond
	// sloppy is the time by which an interval can have more of the counter's updates than its own.
	sloppy = 10 * time.Millisecond
	// little is the part of the span that a fall is below to be a step back, if the zone has not
	// drawn a half (oftenMore) of the power that a wrap would take before.
	little, oftenMore = 8, 2
)

// stepped reports whether a fall is a step back and no wrap, which would be the energy used. A wrap
// takes no more power than the zone can draw. And readings come so often (Period) that hardly any
// interval uses nearly all of the span, unless the zone goes on as before.
func (c *counter) stepped(used units.Energy, dt time.Duration) bool {
	power := used.Over(dt + sloppy)
	return c.most > 0 && power > c.most ||
		used > c.span-c.span/little && c.peak > 0 && power > oftenMore*c.peak
}

// highest is the highest mean power over a second so far, and no less than the mean of all the
// time; 0 of none.
func (c *counter) highest() units.Power {
	if all := c.at.Sub(c.begun); all >= leastSure {
		return max(c.power, c.total.Over(all))
	}
	return c.power
}

// frozen reports whether the counter has stood still for long, at its last reading.
func (c *counter) frozen() bool { return c.started && c.at.Sub(c.moved) >= frozenAfter }
