package epochs

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

// DefaultReorderBound is the number of events that a Reorder holds by default: 6.5 MiB
// of them, or a third of a second at 200,000 switches a second.
const DefaultReorderBound = 65536

// Reorder puts events that arrive nearly in order, because several CPUs produce them, into the
// order of time.
//
// Events are held until a Tick says that everything up to its time has been delivered. Then those
// up to its time are released in order, the Tick last. Events of one instant are released in this
// order:
//
//  1. a Lost (its At becomes its From, so that the hole precedes what lies in it) and an Exit;
//  2. an Off or a Slice that ends a slice of some length;
//  3. Fork and Exec, so that a child is known before it runs;
//  4. On;
//  5. an Off or a Slice that ends a slice without length, whose On has the same instant.
//
// Events of one CPU and one instant stay in the order in which they came, whatever their kinds; so
// do equals.
type Reorder struct {
	release func(*Event)
	bound   int

	keys []key // sorted from head on
	head int
	pool []Event // events of the keys
	free []int32

	perCPU   []instantRank
	seq      uint64
	ticked   units.Instant // time of the last Tick
	released units.Instant // time before which no event may be released any more
	late     uint64
	early    uint64 // released before a Tick had confirmed their time: the bound was reached
}

// key orders an event by time, rank and arrival, and holds its slot in the pool.
type key struct {
	at   units.Instant
	ord  uint64 // rank in the top three bits, arrival below
	slot int32
}

const rankShift = 61

// NewReorder returns a Reorder that holds up to bound events, or DefaultReorderBound when bound is
// not positive, and hands them to release in order. An event handed out is valid until release
// returns; release must not call Push.
func NewReorder(bound int, release func(*Event)) *Reorder {
	if bound <= 0 {
		bound = DefaultReorderBound
	}
	return &Reorder{release: release, bound: bound, ticked: math.MinInt64, released: math.MinInt64}
}

// Len returns the number of held events.
func (r *Reorder) Len() int { return len(r.keys) - r.head }

// Late returns the number of events that came after later ones had been released, or after a Tick
// that covers them. They are released with the next Tick, moved up to the time of release and
// marked Late.
func (r *Reorder) Late() uint64 { return r.late }

// Push takes the next event to arrive. A Tick releases; any other event is held, and when the bound
// is reached, the oldest one held is released early.
func (r *Reorder) Push(ev *Event) {
	if ev.Kind == Tick {
		r.tick(ev)
		return
	}
	if r.Len() >= r.bound {
		r.early++
		r.pop()
	}
	slot := r.take()
	held := &r.pool[slot]
	*held = *ev
	held.Late = false
	at := held.At
	if ev.Kind == Lost {
		// A loss cannot be late: it is reported when it is noticed.
		if held.From == 0 && r.ticked != math.MinInt64 {
			held.From = r.ticked
		}
		if held.From != 0 {
			at = min(held.From, at)
		}
		at = max(at, r.released)
		held.WokenAt, held.At = held.At, at
	} else if at < r.released || at <= r.ticked {
		r.late++
		held.Late = true
		held.At = r.released
		at = r.released
	}
	r.insert(key{at: at, ord: uint64(r.rank(held, at))<<rankShift | r.seq, slot: slot})
	r.seq++
}

// tick releases the events that are not younger than the tick, then the tick.
func (r *Reorder) tick(ev *Event) {
	for r.head < len(r.keys) && r.keys[r.head].at <= ev.At {
		r.pop()
	}
	r.released = max(r.released, ev.At)
	r.ticked = max(r.ticked, ev.At)
	t := *ev
	t.At = r.released
	// The copy lives in the pool, as a local one would escape to the heap.
	slot := r.take()
	r.pool[slot] = t
	r.release(&r.pool[slot])
	r.free = append(r.free, slot)
}

// pop releases the oldest event.
func (r *Reorder) pop() {
	k := r.keys[r.head]
	r.head++
	if r.head == len(r.keys) {
		r.keys, r.head = r.keys[:0], 0
	}
	r.released = max(r.released, k.at)
	r.release(&r.pool[k.slot])
	r.free = append(r.free, k.slot)
}

// take returns a free place of the pool.
func (r *Reorder) take() int32 {
	if n := len(r.free); n > 0 {
		slot := r.free[n-1]
		r.free = r.free[:n-1]
		return slot
	}
	r.pool = append(r.pool, Event{})
	return int32(len(r.pool) - 1)
}

// insert puts k at its place. Most events belong at the end, the others near the end.
func (r *Reorder) insert(k key) {
	if r.head > 0 && len(r.keys) == cap(r.keys) {
		r.keys = r.keys[:copy(r.keys, r.keys[r.head:])]
		r.head = 0
	}
	r.keys = append(r.keys, k)
	lo, hi := r.head, len(r.keys)-1
	if lo == hi || !k.before(r.keys[hi-1]) {
		return
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if k.before(r.keys[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	copy(r.keys[lo+1:], r.keys[lo:len(r.keys)-1])
	r.keys[lo] = k
}

func (k key) before(o key) bool { return k.at < o.at || k.at == o.at && k.ord < o.ord }
