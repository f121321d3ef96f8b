package symbols

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

// symbol is a function's place.
type symbol struct {
	start, end uint64 // an end of start: the size is not known, it goes up to the next symbol
	name       string
	entry      uint64 // of a function without a name: where it begins; 0 for all others
}

// table is symbols in order of their place, none overlapping another.
type table []symbol

// newTable makes a table in which of symbols that overlap the one that comes later in list wins, address by address: a
// virtual machine lists code in the order it was made, and reuses the place of what it dropped.
func newTable(list []symbol) table {
	entries := make([]entry, len(list))
	for i, s := range list {
		entries[i] = entry{s, i}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.order, b.order)) })
	next := ^uint64(0)
	for i := len(entries) - 1; i >= 0; i-- {
		if i+1 < len(entries) && entries[i+1].start > entries[i].start {
			next = entries[i+1].start
		}
		if entries[i].end <= entries[i].start {
			entries[i].end = next
		}
	}
	var t table
	var here latest // that cover the address the sweep has come to
	for i, at := 0, uint64(0); i < len(entries) || len(here) > 0; {
		if len(here) == 0 {
			at = entries[i].start
		}
		for i < len(entries) && entries[i].start <= at {
			heap.Push(&here, entries[i])
			i++
		}
		for len(here) > 0 && here[0].end <= at {
			heap.Pop(&here)
		}
		if len(here) == 0 {
			continue
		}
		end := here[0].end
		if i < len(entries) {
			end = min(end, entries[i].start)
		}
		if n := len(t); n > 0 && t[n-1].end == at && t[n-1].name == here[0].name && t[n-1].entry == here[0].entry {
			t[n-1].end = end
		} else {
			t = append(t, symbol{at, end, here[0].name, here[0].entry})
		}
		at = end
	}
	return t
}

type entry struct {
	symbol
	order int
}

// latest is a heap with the entry on top that came last.
type latest []entry

func (h latest) Len() int           { return len(h) }
func (h latest) Less(i, j int) bool { return h[i].order > h[j].order }
func (h latest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *latest) Push(x any)        { *h = append(*h, x.(entry)) }
func (h *latest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// at is the symbol that an address lies in; its start and end are those of the part around the address that is its own.
func (t table) at(addr uint64) (symbol, bool) {
	i := sort.Search(len(t), func(i int) bool { return t[i].start > addr })
	if i == 0 || addr >= t[i-1].end {
		return symbol{}, false
	}
	return t[i-1], true
}

// find is the name of the symbol that an address lies in.
func (t table) find(addr uint64) (string, bool) {
	s, ok := t.at(addr)
	return s.name, ok
}
