package waiting

import "github.com/ebb-energy/ebb/epochs"

// Threads gives each thread of the work a dense index, in order of appearance. It is an
// open-addressing hash table: every row of every epoch is looked up, and a Go map costs several
// times as much. Clearing it is O(1): a slot counts only when it carries the current generation.
type Threads struct {
	slots []slot // a power of two, at most half full
	gen   uint32
	n     int32
	ids   []epochs.TID // by index
}

// slot is free unless it carries the current generation.
type slot struct {
	tid epochs.TID
	gen uint32
	idx int32
}

const firstSlots = 256

// Len is the number of indices given.
func (t *Threads) Len() int { return int(t.n) }

// ID is the thread with index i.
func (t *Threads) ID(i int) epochs.TID { return t.ids[i] }

// Reset forgets all threads.
func (t *Threads) Reset() {
	t.n, t.ids = 0, t.ids[:0]
	t.gen++
	if t.gen == 0 { // wrapped: old slots could pass for new ones
		clear(t.slots)
		t.gen = 1
	}
}

// Index returns the dense index of tid, -1 for NoThread.
func (t *Threads) Index(tid epochs.TID) int32 {
	if tid == epochs.NoThread {
		return -1
	}
	if int(t.n)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash(tid) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.gen != t.gen {
			*s = slot{tid, t.gen, t.n}
			t.n++
			t.ids = append(t.ids, tid)
			return s.idx
		}
		if s.tid == tid {
			return s.idx
		}
	}
}

// Find returns the dense index of tid, -1 when it has none.
func (t *Threads) Find(tid epochs.TID) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash(tid) & mask; t.slots[i].gen == t.gen; i = (i + 1) & mask {
		if t.slots[i].tid == tid {
			return t.slots[i].idx
		}
	}
	return -1
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
