package attribution

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// use is the memory that one stack of an image takes, and the number of its samples.
type use struct {
	id      energy.StackID
	image   protocol.Image
	samples int
	entries int // number of entries in all ledgers, one per thread and frequency
}

// entryBytes is about what an entry of a ledger takes.
const entryBytes = 128

// bytes returns the memory that the stack and its entries would take at a level.
func (u *use) bytes(s *stack, k kept) int {
	return stackBytes + 8*k.frames(len(s.frames)) + entryBytes*u.entries
}

// share sets each stack's level so that all take no more than budget. Images that take less than an
// equal share keep everything, and the others divide the rest (max-min fairness). Of an image that
// takes more, the stacks with the most samples are kept whole up to half of its share, the next
// ones shortened to 32, 8 and 1 frame up to 3, 3.5 and 4 quarters.
func share(t *stackTable, uses []use, budget int) map[energy.StackID]kept {
	images := map[protocol.Image]int{}
	for i := range uses {
		u := &uses[i]
		images[u.image] += u.bytes(t.at(u.id), keptWhole)
	}
	costs := make([]int, 0, len(images))
	for _, c := range images {
		costs = append(costs, c)
	}
	level := waterLevel(costs, budget)
	uses = slices.DeleteFunc(uses, func(u use) bool { return images[u.image] <= level })
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.image, b.image), cmp.Compare(b.samples, a.samples),
			cmp.Compare(a.id, b.id))
	})
	out := map[energy.StackID]kept{}
	limits := [levels]int{level / 2, level / 4 * 3, level / 8 * 7, level, level}
	spent, k := 0, keptWhole
	for i := range uses {
		u := &uses[i]
		if i == 0 || u.image != uses[i-1].image {
			spent, k = 0, keptWhole
		}
		s := t.at(u.id)
		for k < kept0 && spent+u.bytes(s, k) > limits[k] {
			k++
		}
		if k < kept0 {
			spent += u.bytes(s, k)
		}
		if k > keptWhole {
			out[u.id] = k
		}
	}
	return out
}

// waterLevel returns the most that each may have. Those that want more then get the same, and all
// together get the budget.
func waterLevel(wants []int, budget int) int {
	slices.Sort(wants)
	for i, w := range wants {
		equal := budget / (len(wants) - i)
		if w > equal {
			return equal
		}
		budget -= w
	}
	return 1 << 62
}
