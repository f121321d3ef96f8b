package simtest

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// ps is a time in picoseconds since the program's start: fine enough that a stretch of a few cycles
// is not rounded away, and an integer, so times add up.
type ps int64

const (
	psPerNs = 1000
	never   = ps(1<<63 - 1)
)

// Beginning is the time at which a program starts, on the machine's monotonic clock. It is a
// multiple of every quantum that divides a second, and not 0, as no machine's first instant is a
// program's.
const Beginning = units.Instant(time.Second)

// instant returns t on the records' clock, which counts whole ns: the first ns that is not before
// t. An event after a tick therefore never has the tick's time.
func (t ps) instant() units.Instant {
	return Beginning + units.Instant((t+psPerNs-1)/psPerNs)
}

// since returns t as a duration, truncated.
func (t ps) since() time.Duration { return time.Duration(t / psPerNs) }

// toPS returns a duration in ps.
func toPS(d time.Duration) ps { return ps(d) * psPerNs }

// at returns the time of an instant.
func at(i units.Instant) ps { return ps(i-Beginning) * psPerNs }

// nsToPS rounds a time in ns up to whole ps, at least one: time passes.
func nsToPS(ns float64) ps {
	if ns >= 9e15 {
		return never / 2
	}
	t := ps(ns * psPerNs)
	if float64(t) < ns*psPerNs || t == 0 {
		t++
	}
	return t
}
