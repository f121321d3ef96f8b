package rapl

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// maxPower is above the power of any zone. A leap that would need more power is a reset, as by
// suspend or a hot-plugged package.
const maxPower units.Power = 20_000

// frozenAfter is the time for which a counter may stand still before it is called frozen. The
// hardware updates each about every millisecond, and even an idle package draws a watt.
const frozenAfter = time.Second

// neverAfter is the same for a counter that has not moved since its first reading: a short run must
// say so as well.
const neverAfter = 200 * time.Millisecond

// counter sums up the readings of one meter, which wraps around. It is pure; the zero value with a
// span is ready.
type counter struct {
	judge
	span units.Energy // value at which it wraps; 0 if it never does
	// steady says that the zone always draws power, so that a counter that stands has not been
	// updated: what it shows next is of all that time, and it can have gone round meanwhile.
	steady bool

	started bool
	slept   time.Duration // for which the machine had been suspended before the last reading
	last    units.Energy  // the reading before
	at      units.Instant // time of the last reading
	moved   units.Instant // time at which the value last changed

	total  units.Energy
	resets int
	sleeps int           // readings behind a suspend of the machine
	holes  time.Duration // time about which nothing is known because of resets
	gap    time.Duration // longest time that the counter had between two values

	plainly units.Energy  // energy of intervals in which no zone draws a whole span
	plain   time.Duration // length of these

	first units.Instant // time of the first reading
	peak  units.Power   // highest mean power between two readings that are not close together
}

// add takes a reading. It adds the energy since the reading before to the total. A reading with an
// earlier time than the one before counts as taken at the same time: its energy was used, only its
// time is wrong.
//
// A smaller value means a wrap, of which there may be only one between two readings, or a reset: a
// new start, or a step back. A reset adds no energy, because the energy used meanwhile is unknown.
func (c *counter) add(v units.Energy, now moment) {
	at, slept := max(now.from, c.at), now.sleptTo-c.slept
	c.slept = now.slept
	if !c.started {
		c.started, c.last, c.at, c.moved, c.first = true, v, at, at, at
		c.see(0, &now, false, true)
		return
	}
	used := v - c.last
	fell := used < 0
	if fell && c.span > 0 {
		used += c.span
	}
	dt := at.Sub(c.at)
	since := dt
	if c.steady {
		since = at.Sub(c.moved)
	}
	c.gap = max(c.gap, since)
	// Updates are not in step with the readings: allow one of a millisecond.
	reset := used < 0 || used.Over(since+time.Millisecond) > maxPower ||
		fell && c.stepped(used, since)
	if reset {
		c.resets++
		c.holes += since
		used = 0
	}
	if slept > atOnce {
		c.sleeps++
	}
	moved := v != c.last
	if since > 0 && lapPower(c.span, since) >= wrapPower && (moved || !c.steady) {
		c.plainly, c.plain = c.plainly.Plus(used), c.plain+since
	}
	if moved {
		c.moved = at
	}
	c.total = c.total.Plus(used)
	c.last, c.at = v, at
	if since >= leastSure {
		c.peak = max(c.peak, used.Over(since))
	}
	c.see(c.total, &now, reset || slept > atOnce, moved)
}

const (
	// leastSure is the least time over which a mean power says something: the counters advance in
	// steps of a millisecond.
	leastSure = 50 * time.Millisecond
	// sloppy is the time whose updates of the counter an interval can have beyond its own.
	sloppy = 10 * time.Millisecond
	// A fall is a step back if it is below one little-th of the span, and if the zone has not drawn
	// one oftenMore-th (a half) of the power that a wrap would take.
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

// frozen reports whether the counter has stood still for long, at its last reading.
func (c *counter) frozen() bool {
	still := c.at.Sub(c.moved)
	return c.started && (still >= frozenAfter || c.moved == c.first && still >= neverAfter)
}

// sure returns the mean power up to which no wrap was missed between two values; 0 where none can
// have been: the counter never wraps, or short intervals show that the zone draws less by far.
func (c *counter) sure() units.Power {
	sure := lapPower(c.span, c.gap)
	if c.plain >= leastSure && sure > farMore*c.plainly.Over(c.plain) {
		return 0
	}
	return sure
}

// farMore is the factor by which a zone is not taken to exceed its mean power for an interval.
const farMore = 3

// lapPower returns the power at which a counter wraps once in a time; 0 where it never does.
func lapPower(span units.Energy, in time.Duration) units.Power {
	if span <= 0 || in <= 0 {
		return 0
	}
	return span.Over(in)
}
