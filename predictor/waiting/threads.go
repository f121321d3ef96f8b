package waiting

import "github.com/ebb-energy/ebb/epochs"

// Threads gives each thread of the work a dense index, in order of appearance. The kernel reuses
// ids, so a thread whose id had another one before it has an index of its own. It is an
// open-addressing hash table: every row of every epoch is looked up, and a Go map costs several
// times as much. Clearing it is O(1): a slot counts only when it carries the current generation.
type Threads struct {
	slots  []slot // hash table; its length is a power of two, and it is at most half full
	gen    uint32
	n      int32
	ids    []epochs.TID // by index
	before []int32      // by index: index of the thread that had the id before, -1 for none
}

// slot is free unless it carries the current generation.
type slot struct {
	tid epochs.TID
	gen uint32
	idx int32 // index of the newest thread with the id, inverted (^) once that has ended
}

const firstSlots = 256

// Len returns the number of indices given.
func (t *Threads) Len() int { return int(t.n) }

// ID returns the thread with index i.
func (t *Threads) ID(i int) epochs.TID { return t.ids[i] }

// Reset forgets all threads.
func (t *Threads) Reset() {
	t.n, t.ids, t.before = 0, t.ids[:0], t.before[:0]
	t.gen++
	if t.gen == 0 { // wrapped: old slots could pass for new ones
		clear(t.slots)
		t.gen = 1
	}
}

// Index returns the dense index of tid, -1 for NoThread. Where the thread has ended, the id is
// another's from now on.
func (t *Threads) Index(tid epochs.TID) int32 {
	if tid == epochs.NoThread {
		return -1
	}
	s, known := t.slot(tid)
	if known && s.idx >= 0 {
		return s.idx
	}
	former := int32(-1)
	if known {
		former = ^s.idx
	}
	*s = slot{tid, t.gen, t.n}
	t.n++
	t.ids, t.before = append(t.ids, tid), append(t.before, former)
	return s.idx
}

// Latest returns the dense index of the newest thread with the id, ended or not, -1 for NoThread. A
// thread that wakes others as it ends is named as their waker after its end.
func (t *Threads) Latest(tid epochs.TID) int32 {
	if i := t.Find(tid); i >= 0 {
		return i
	}
	return t.Index(tid)
}

// Exit notes that the newest thread with the id has ended.
func (t *Threads) Exit(tid epochs.TID) {
	if s, known := t.slot(tid); known && s.idx >= 0 {
		s.idx = ^s.idx
	}
}

// Find returns the dense index of the newest thread with the id, -1 when there is none.
func (t *Threads) Find(tid epochs.TID) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	s, known := t.slot(tid)
	switch {
	case !known:
		return -1
	case s.idx < 0:
		return ^s.idx
	}
	return s.idx
}

// First returns the dense index of the thread that had the id first, that is when the work began;
// -1 when there is none.
func (t *Threads) First(tid epochs.TID) int32 {
	i := t.Find(tid)
	for i >= 0 && t.before[i] >= 0 {
		i = t.before[i]
	}
	return i
}

// Ended reports whether the thread with index i has ended.
func (t *Threads) Ended(i int) bool {
	s, _ := t.slot(t.ids[i])
	return s.idx != int32(i)
}

// Follows reports whether another thread had the id of thread i earlier in the work.
func (t *Threads) Follows(i int) bool { return t.before[i] >= 0 }

// slot returns the slot of tid, or the free one where it belongs.
func (t *Threads) slot(tid epochs.TID) (s *slot, known bool) {
	if int(t.n)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash(tid) & mask; ; i = (i + 1) & mask {
		s = &t.slots[i]
		if s.gen != t.gen || s.tid == tid {
			return s, s.gen == t.gen
		}
	}
}

func (t *Threads) grow() {
	old := t.slots
	if t.gen == 0 {
		t.gen = 1
	}
	t.slots = make([]slot, max(firstSlots, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.gen != t.gen {
			continue
		}
		i := hash(s.tid) & mask
		for t.slots[i].gen == t.gen {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// hash spreads thread ids, which are mostly consecutive (Knuth's multiplicative hash, high bits
// folded down).
func hash(tid epochs.TID) uint32 {
	h := uint32(tid) * 2654435769
	return h ^ h>>16
}
