package rapl

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/units"
)

const (
	// doubted is the time for which a zone must show no more than it can draw before it is believed
	// again.
	doubted = time.Minute
	// atOnce is a time that the two clocks of sleep may differ by, because they are not read at one
	// moment.
	atOnce = 10 * time.Millisecond
)

// moment is when a counter was read: between two times, and between two readings of the time for
// which the machine had been suspended since its start.
type moment struct {
	from, to       units.Instant
	slept, sleptTo time.Duration
}

// judge watches whether a zone shows more power than it can.
type judge struct {
	most units.Power // 0: nobody knows
	by   string      // what says so

	begun  bool
	fresh  bool          // the total at since was updated right then
	since  units.Instant // begin of the second in progress
	before units.Energy  // total at since
	whole  bool          // a second is over

	shown   units.Power   // more than it can: the newest
	until   units.Instant // end of the doubt for that
	spoiled bool          // it was shown since the last Cut
}

// see takes the total at a moment. The power over a second is the least that fits the moments at
// both ends, because whoever reads may have to wait for a CPU. The first second counts while it
// goes on. Broken says that the energy since the reading before is not that time's, as after a
// suspend or a reset. A meter that stood has the energy of all that time when it has moved.
func (j *judge) see(total units.Energy, now *moment, broken, moved bool) {
	second := now.to.Sub(j.since)
	over := second >= time.Second
	switch {
	case broken || !j.begun:
		j.begun, j.fresh, j.since, j.before = true, false, now.from, total
	case moved && !j.fresh && !over: // what it has now may be of a much longer time
		j.fresh, j.since, j.before = true, now.from, total
	case moved && (over || !j.whole && second >= leastSure):
		if power := (total - j.before).Over(second); j.most > 0 && power > j.most {
			j.shown, j.until, j.spoiled = power, now.to.Add(doubted), true
		}
		if over {
			j.since, j.before, j.whole = now.from, total, true
		}
	}
}

// doubt returns the reason why a zone's meter is not believed at its newest reading; "" where it
// is. Its energy since the last Cut must be right, and it must have shown no more than it can for a
// minute. A part of a package can stand still because nothing uses it.
func (s *source) doubt() string {
	c := &s.counter
	switch name, sure := s.Name(), c.sure(); {
	case c.spoiled || c.at < c.until:
		return fmt.Sprintf("%s shows %v, more than the %v that %s: the meter is not believed", name,
			c.shown, c.most, c.by)
	case c.frozen() && s.Kind == Package:
		return name + " stands still: the meter is not believed"
	case c.misses(sure):
		return fmt.Sprintf("%s wraps so soon that it is right only up to %v, less than the %v "+
			"that %s: the meter is not believed", name, sure, c.most, c.by)
	}
	return ""
}

// misses reports whether a counter that is right up to a power can wrap unseen.
func (j *judge) misses(sure units.Power) bool {
	return j.most > 0 && sure > 0 && sure < min(j.most, wrapPower)
}

// Bound gives the counters the most power that each zone can show, and what says so. By that they
// distinguish a step back from a wrap, and doubt the meter.
func (m *Meters) Bound(most func(z *Zone) (units.Power, string)) {
	for _, s := range m.sources {
		s.counter.most, s.counter.by = most(&s.Zone)
	}
}

// Cut has a window begin at the newest reading: Doubt is of the energy since then. Without one it
// is of all since the first reading.
func (m *Meters) Cut() {
	for _, s := range m.sources {
		s.counter.gap, s.counter.spoiled = 0, false
	}
}

// now returns what clocks does.
func (m *Meters) now() (units.Instant, time.Duration) {
	if m.clocks != nil {
		return m.clocks()
	}
	return clocks()
}

// clocks returns the time, and the time for which the machine has been suspended since its start.
// Every kernel has both clocks, so they cannot fail.
func clocks() (now units.Instant, slept time.Duration) {
	var all, awake unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &all)
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake)
	return units.Instant(awake.Nano()), time.Duration(all.Nano() - awake.Nano())
}
