package epochs

import (
	"math"
	"math/bits"
	"slices"
)

// settle gives the counters of the slice that ev closes to the rows that wait for it, and what
// falls in the open epoch to the thread's part of that. The slice began at ev.From and ends now.
//
// Up to an instant t of the slice, floor(counter * (t - from) / length) has been counted; a row
// gets the difference over its time. So the parts are integers and add up to the counter. A slice
// without length has no time to give its counters to, and gives none.
func (a *Assembler) settle(s int32, ev *Event) {
	slot := &a.threads.slots[s]
	slot.heard, a.settled = a.now, a.now
	if a.n == 0 {
		return
	}
	from := min(Ticks(ev.From), a.now)
	span := uint64(a.now) - uint64(from)
	var given [MaxCounters]uint64 // up to where the last row ended
	counters := ev.Counters[:a.n]
	unread := !slices.ContainsFunc(counters, func(c uint64) bool { return c != 0 })
	reached := from
	if slot.since > from {
		// The slice began before the thread is known to have run: that part belongs nowhere.
		reached = slot.since
		countUpTo(&given, counters, uint64(reached-from), span)
	}
	pos := slot.first
	for range slot.waiting {
		l := a.pending.link(pos)
		e := a.pending.epoch(l.epoch)
		e.open--
		if max(e.Start, slot.since) < from {
			e.Hole = true // for some of its time there are no counters
		}
		if begin := max(e.Start, from); begin > reached {
			// The epoch before was given up.
			reached = begin
			countUpTo(&given, counters, uint64(reached-from), span)
		}
		if end := e.end(); end > reached {
			if unread {
				a.pending.row(pos).Uncounted += end - reached
			}
			reached = end
			before := given
			countUpTo(&given, counters, uint64(reached-from), span)
			values := a.pending.row(pos).Values
			for i := range values {
				values[i] = limited(values[i], given[i]-before[i])
			}
		}
		pos = l.next
	}
	slot.waiting = 0
	if begin := max(a.start, slot.since); begin < a.now {
		if begin < from {
			a.hole = true
		}
		if begin > reached {
			countUpTo(&given, counters, uint64(begin-from), span)
		}
		if unread {
			slot.uncounted += a.now - max(begin, reached)
		}
		if span > 0 {
			for i, c := range counters {
				slot.part[i] = limited(slot.part[i], c-given[i])
			}
			slot.touched = true
		}
	}
	slot.since = a.now
	a.drainIfDue()
}

// countUpTo sets given to what was counted up to t of span.
func countUpTo(given *[MaxCounters]uint64, counters []uint64, t, span uint64) {
	if t >= span {
		copy(given[:], counters)
		return
	}
	for i, c := range counters {
		hi, lo := bits.Mul64(c, t)
		if hi == 0 {
			given[i] = lo / span
		} else {
			given[i], _ = bits.Div64(hi, lo, span) // c * t / span <= c, so it fits
		}
	}
}

// limited is v + add, at most what an int64 holds.
func limited(v int64, add uint64) int64 {
	if add > uint64(math.MaxInt64-v) {
		return math.MaxInt64
	}
	return v + int64(add)
}

// drainIfDue emits what a closed slice may have completed.
func (a *Assembler) drainIfDue() {
	if !a.pending.empty() && a.pending.oldest().open == 0 {
		a.drain()
	}
}
