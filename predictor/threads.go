package predictor

import "github.com/ebb-energy/ebb/epochs"

// threads gives each thread of the work a dense index, in order of appearance. It is an
// open-addressing hash table: every row of every epoch is looked up, and a Go map costs several
// times as much. Clearing it is O(1): a slot counts only when it carries the current generation.
type threads struct {
	slots []slot // a power of two, at most half full
	gen   uint32
	n     int32
	ids   []epochs.TID // by index
}

type slot struct {
	tid epochs.TID
	gen uint32
	idx int32
}

const firstSlots = 256

func (t *threads) reset() {
	t.n, t.ids = 0, t.ids[:0]
	t.gen++
	if t.gen == 0 { // wrapped: old slots could pass for new ones
		clear(t.slots)
		t.gen = 1
	}
}

// index returns the dense index of tid, -1 for NoThread.
func (t *threads) index(tid epochs.TID) int32 {
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

// find returns the dense index of tid, -1 when it has none.
func (t *threads) find(tid epochs.TID) int32 {
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

func (t *threads) grow() {
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
