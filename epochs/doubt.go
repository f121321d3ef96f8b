package epochs

import "math"

// doubt is the uncertainty that a loss of records leaves behind.
type doubt struct {
	// lost is the time of the last loss. A thread without an event since then may run or not.
	lost    Ticks
	until   Ticks // time before which all epochs that begin are holes
	expires Ticks // time at which threads without an event since the loss count as not running
}

var noDoubt = doubt{lost: math.MinInt64, until: math.MinInt64, expires: math.MaxInt64}

// lose notes lost records: epochs are holes from the earliest time of the loss, and threads thought
// to run may not. Unknown running threads are found by their next record.
func (a *Assembler) lose(ev *Event) {
	a.stats.Lost += ev.Count
	a.waits.forget(a.now)
	// A Reorder moves At to where the loss may have begun.
	from, at := Ticks(ev.From), max(Ticks(ev.At), Ticks(ev.WokenAt))
	if from == 0 {
		from = a.confirmed
	}
	a.holeSince(min(from, at))
	a.doubt.until = max(a.doubt.until, at, a.now+1) // including the open epoch
	if at <= a.doubt.lost {
		return
	}
	a.doubt.lost = at
	if a.resync > 0 {
		a.doubt.expires = at + min(a.resync, math.MaxInt64-1-max(at, 0))
		a.doubt.until = max(a.doubt.until, a.doubt.expires)
	}
}

// expire takes the threads without an event since a loss off their CPUs.
func (a *Assembler) expire() {
	at := a.doubt.expires
	a.doubt.expires = math.MaxInt64
	lost := a.doubt.lost
	for i := 0; i < len(a.threads.order); {
		s := a.threads.order[i]
		if a.threads.slots[s].heard > lost {
			i++
			continue
		}
		// Its epochs since the loss are holes already.
		a.boundary(at)
		a.stats.Evicted++
		a.abandon(s)
		a.threads.remove(s)
	}
	a.doubt.lost = math.MinInt64
}

// holeSince makes holes of all epochs since from that are not out yet; of the open one, when
// there is no other.
func (a *Assembler) holeSince(from Ticks) {
	marked := false
	for at := a.pending.tail; at > a.pending.out; at-- {
		e := a.pending.epoch(at - 1)
		if e.end() <= from {
			break
		}
		e.Hole = true
		marked = true
	}
	if !marked || a.start < a.now && from < a.now {
		a.hole = true
	}
}

// evict takes a thread off its CPU when it cannot run there any more: its Off was lost.
func (a *Assembler) evict(s int32) {
	a.stats.Evicted++
	a.holeSince(min(a.threads.slots[s].heard, a.now-1))
	a.abandon(s)
	a.threads.remove(s)
}

// vacate evicts the thread thought to run on cpu: a CPU runs only one.
func (a *Assembler) vacate(cpu int16) {
	if s, ok := a.threads.on(cpu); ok {
		a.evict(s)
	}
}

// abandon gives up the counters that rows of the thread in s wait for.
func (a *Assembler) abandon(s int32) {
	slot := &a.threads.slots[s]
	pos := slot.first
	for range slot.waiting {
		l := a.pending.link(pos)
		e := a.pending.epoch(l.epoch)
		e.open--
		e.Hole = true
		pos = l.next
	}
	slot.waiting = 0
}

// adopt takes in a thread that runs, or ran until now, but was not known to: since the start of its
// slice, or since the last boundary or the last closed slice when that is later, because epochs
// that have ended keep their rows and counters that were given stay given.
func (a *Assembler) adopt(ev *Event) int32 {
	a.stats.Adopted++
	from := min(Ticks(ev.From), a.now)
	// A thread that ran already when the time began, and whose event is the first, is no loss.
	clean := a.start == a.origin && from <= a.origin
	since := min(max(from, a.start, a.divided), a.now)
	if since > a.start {
		a.boundary(since)
		a.ended(since, End{Kind: EndResume, Thread: ev.Thread, By: NoThread})
	}
	if !clean {
		a.holeSince(min(from, a.now-1))
	}
	a.vacate(ev.CPU)
	a.waits.end(&Event{Thread: ev.Thread, By: NoThread}, since)
	return a.ran(ev.Thread, ev.CPU, since)
}
