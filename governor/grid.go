package governor

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// grid says where quanta begin and end. The kernel's programs use the same grid: quantum k is [k*q,
// (k+1)*q) of CLOCK_MONOTONIC, and with a hold-off of h those with k divisible by h are profiled,
// the others skipped.
type grid struct {
	quantum units.Instant
	period  units.Instant // time from one profiled quantum to the next
	open    bool          // a quantum is being profiled
	start   units.Instant // start of the current quantum, when open
	// next is the next boundary: the quantum's end when open, else the begin of the next window
	next    units.Instant
	resting bool // next is the end of a rest
}

func newGrid(quantum time.Duration, holdOff int) grid {
	return grid{quantum: units.Instant(quantum),
		period: units.Instant(quantum) * units.Instant(holdOff)}
}

// begin starts at t. A first quantum of less than half the length is joined to the one that
// follows.
func (g *grid) begin(t units.Instant) {
	g.start = t
	window := t - t%g.period
	switch {
	case g.period == g.quantum:
		g.open = true
		g.next = window + g.quantum
		if g.next-t < g.quantum/2 {
			g.next += g.quantum
		}
	case t-window < g.quantum:
		g.open = true
		g.next = window + g.quantum
	default:
		g.open = false
		g.next = window + g.period
	}
}

// unwatched is the number of quanta that may pass without a record or a tick while a thread runs,
// and half a second at least, as for the guardian. A longer time nobody has watched: the clock
// jumped forward, as a virtual machine's can, or ebb stood still and its records are lost.
const (
	unwatched     = 100
	unwatchedTime = units.Instant(500 * time.Millisecond)
)

// pass moves beyond the boundary next, given that time has reached t >= next. When no thread ran at
// the boundary (idle), quanta in which nothing can have happened are joined into one, or skipped.
// Time that nobody has watched is part of no quantum, so it counts neither as excess nor as credit.
func (g *grid) pass(t units.Instant, idle bool) {
	b := g.next
	g.resting = false
	if g.open {
		if g.period == g.quantum {
			last := t - t%g.quantum
			g.start, g.next = b, b+g.quantum
			switch {
			case idle:
				g.next = max(g.next, last)
			case last-b > max(unwatched*g.quantum, unwatchedTime):
				g.start, g.next = last, last+g.quantum
			}
			return
		}
		g.open, g.start = false, 0
		g.next = b - g.quantum + g.period
		if g.next > t {
			return
		}
	}
	// Between windows: open the one that t lies in, if any.
	window := t - t%g.period
	if t-window < g.quantum {
		g.open, g.start, g.next = true, window, window+g.quantum
		return
	}
	g.next = window + g.period
}

// rest lets the quantum that has just begun last for n quanta.
func (g *grid) rest(n int) { g.next, g.resting = g.start+units.Instant(n)*g.quantum, true }

// wake ends a rest, as the machine does before its end with a tick at t. The quantum of the change
// is decided on alone: the rest becomes two quanta, and the second is the last whole one of the
// grid before t. Events up to seen have been taken in, and no quantum can end before them any more.
func (g *grid) wake(t, seen units.Instant) (early bool) {
	if !g.resting || t < g.start+g.quantum {
		return false
	}
	g.resting = false
	if t >= g.next {
		return false
	}
	least := max(g.start, seen)
	g.next = t - t%g.quantum
	if g.next-g.quantum > least {
		g.next -= g.quantum
	}
	if g.next <= least {
		g.next = least - least%g.quantum + g.quantum
	}
	return true
}
