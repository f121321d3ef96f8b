package epochs

import (
	"math"
	"math/bits"
	"slices"
)

// divide splits the counters of the slice that ev closes among the rows that wait for it and the
// thread's part of the open epoch. The slice began at ev.From and ends now.
//
// Up to an instant t of the slice, floor(counter * (t - from) / length) has been counted; a row
// gets the difference over its time. So the parts are integers and add up to the counter. A slice
// without length has no time to divide its counters over, and they are dropped.
func (a *Assembler) divide(s int32, ev *Event) {
	slot := &a.threads.slots[s]
	slot.heard, a.divided = a.now, a.now
	if a.n == 0 {
		return
	}
	from := min(Ticks(ev.From), a.now)
	d := division{counters: ev.Counters[:a.n], from: from, reached: from,
		span: uint64(a.now) - uint64(from)}
	d.unread = !slices.ContainsFunc(d.counters, func(c uint64) bool { return c != 0 })
	if slot.since > from {
		// The slice began before the thread is known to have run: that part belongs to no row.
		d.skipTo(slot.since)
	}
	pos := slot.first
	for range slot.waiting {
		l := a.pending.link(pos)
		e := a.pending.epoch(l.epoch)
		e.open--
		if max(e.Start, slot.since) < from {
			e.Hole = true // part of the row's time has no counters
		}
		if begin := max(e.Start, from); begin > d.reached {
			d.skipTo(begin) // the epoch before was given up
		}
		if end := e.end(); end > d.reached {
			d.give(a.pending.row(pos), end)
		}
		pos = l.next
	}
	slot.waiting = 0
	a.divideOpen(slot, &d)
	slot.since = a.now
	a.drainIfDue()
}

// divideOpen adds the part of the open epoch to the thread in slot.
func (a *Assembler) divideOpen(slot *slot, d *division) {
	begin := max(a.start, slot.since)
	if begin >= a.now {
		return
	}
	if begin < d.from {
		a.hole = true
	}
	if d.unread {
		slot.uncounted += a.now - max(begin, d.reached)
	}
	if begin > d.reached {
		d.skipTo(begin)
	}
	if d.span > 0 {
		for i, c := range d.counters {
			slot.part[i] = limited(slot.part[i], c-d.given[i])
		}
		slot.touched = true
	}
}

// division divides a slice's counters by time.
type division struct {
	counters []uint64
	unread   bool // the counters could not be read
	from     Ticks
	span     uint64              // length of the slice
	reached  Ticks               // time up to which the counters were given; from <= reached
	given    [MaxCounters]uint64 // counts given up to reached
}

// skipTo drops the counts up to t.
func (d *division) skipTo(t Ticks) {
	d.reached = t
	countUpTo(&d.given, d.counters, uint64(t-d.from), d.span)
}

// give adds the counts up to end to a row.
func (d *division) give(r *Row, end Ticks) {
	if d.unread {
		r.Uncounted += end - d.reached
	}
	before := d.given
	d.skipTo(end)
	for i := range r.Values {
		r.Values[i] = limited(r.Values[i], d.given[i]-before[i])
	}
}

// countUpTo sets given to the counts up to t of span.
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

// limited returns v + add, at most the largest int64.
func limited(v int64, add uint64) int64 {
	if add > uint64(math.MaxInt64-v) {
		return math.MaxInt64
	}
	return v + int64(add)
}

// drainIfDue lets out the epochs that a closed slice may have completed.
func (a *Assembler) drainIfDue() {
	if a.pending.waits() && a.pending.oldest().open == 0 {
		a.drain()
	}
}
