package symbols

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sort"
)

// symbol is a function's name and place.
type symbol struct {
	start, end uint64
	name       string
	entry      uint64 // start of a function without a name; 0 for all others
	guessed    bool   // nothing said where it ends: the next function can begin anywhere in it
	label      bool   // a label in code, which no directive made a function
}

// span is a symbol as it is kept. Its name stays where it was read.
type span struct {
	start, end uint64 // end equals start where the size is not known
	name       uint32 // place of the name in the source, or index in places
	source     uint8
	rank       uint8 // among spans that overlap the highest rank wins, then the last
	guessed    bool  // nothing said where it ends
	label      bool
}

const spanSize = 24

// unnamed is the source of functions that have no name.
const unnamed = math.MaxUint8

// names reads the names of a table's symbols, by their places.
type names interface {
	name(at uint32) string
}

// words are names in memory, each ended by a zero.
type words []byte

func (w words) name(at uint32) string {
	if uint64(at) >= uint64(len(w)) {
		return ""
	}
	text, _, _ := bytes.Cut(w[at:], []byte{0})
	return string(text)
}

// table holds symbols in order of their places; none overlap.
type table struct {
	spans   []span
	sources []names
	places  []uint64 // starts of functions that have no name
	edges   []uint64 // bounds of sections of code, ascending
}

// size returns the bytes of memory that a table takes, without its names.
func (t *table) size() int { return spanSize*cap(t.spans) + 8*(cap(t.places)+cap(t.edges)) }

// list collects symbols for a table.
type list struct {
	table
	full   bool    // there were more symbols than are kept
	budget *budget // takes steps while the list works; nil: no steps
	work   int     // symbols since the last step
}

// aStep is the number of symbols that are compared or placed in the time that one step takes.
const aStep = 1 << 12

// worked counts one symbol's work, and takes a step after each aStep symbols.
func (l *list) worked() {
	if l.work++; l.work >= aStep && l.budget != nil {
		l.work = 0
		l.budget.step()
	}
}

// add adds a symbol. It returns false if there are too many.
func (l *list) add(s span) bool {
	if len(l.spans) >= maxFunctions {
		l.full = true
		return false
	}
	l.spans = append(l.spans, s)
	l.worked()
	return true
}

// source adds a source of names, and returns its number.
func (l *list) source(n names) uint8 {
	l.sources = append(l.sources, n)
	return uint8(len(l.sources) - 1)
}

// order returns the numbers of the spans, sorted by start, by rank, and as they came.
func (l *list) order() []uint32 {
	order := make([]uint32, len(l.spans))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		l.worked()
		x, y := &l.spans[a], &l.spans[b]
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.rank, y.rank), cmp.Compare(a, b))
	})
	return order
}

// done makes a table in which, at each address, the overlapping symbol of the highest rank wins,
// and among equals the one that came last: a virtual machine lists code in the order it was made,
// and reuses the place of what it dropped.
func (l *list) done() table {
	order := l.order()
	at := func(i int) *span { return &l.spans[order[i]] }
	next := ^uint64(0)
	for i := len(order) - 1; i >= 0; i-- {
		if i+1 < len(order) && at(i+1).start > at(i).start {
			next = at(i + 1).start
		}
		if s := at(i); s.end <= s.start {
			s.end, s.guessed = min(next, l.edge(s.start)), true
		}
	}
	covered := uint64(0) // end of the symbols so far whose size is known
	for i := range order {
		if s := at(i); !s.guessed {
			covered = max(covered, s.end)
		} else if covered > s.start {
			s.end = min(s.end, covered)
		}
	}
	t := table{spans: make([]span, 0, len(l.spans)), sources: l.sources, places: l.places,
		edges: l.edges}
	here := latest{spans: l.spans} // spans that cover the address that the sweep has reached
	for i, addr := 0, uint64(0); i < len(order) || len(here.numbers) > 0; l.worked() {
		for len(here.numbers) > 0 && here.top().end <= addr {
			heap.Pop(&here)
		}
		if len(here.numbers) == 0 {
			if i == len(order) {
				break
			}
			s := at(i)
			addr = s.start
			// Nearly all are alone: nothing overlaps them.
			if s.end > addr && (i+1 == len(order) || s.end <= at(i+1).start) {
				t.append(s, addr, s.end)
				i++
				continue
			}
		}
		for i < len(order) && at(i).start <= addr {
			heap.Push(&here, order[i])
			i++
		}
		for len(here.numbers) > 0 && here.top().end <= addr {
			heap.Pop(&here)
		}
		if len(here.numbers) == 0 {
			continue
		}
		s := here.top()
		end := s.end
		if i < len(order) {
			end = min(end, at(i).start)
		}
		t.append(s, addr, end)
		addr = end
	}
	if cap(t.spans) > len(t.spans)+len(t.spans)/8 {
		t.spans = slices.Clone(t.spans)
	}
	return t
}

// append adds a part of a symbol behind the last span, or makes the last span longer if it is the
// same symbol's.
func (t *table) append(s *span, from, to uint64) {
	if n := len(t.spans); n > 0 {
		last := &t.spans[n-1]
		if last.end == from && last.name == s.name && last.source == s.source &&
			last.guessed == s.guessed && last.label == s.label {
			last.end = to
			return
		}
	}
	t.spans = append(t.spans, span{start: from, end: to, name: s.name, source: s.source,
		guessed: s.guessed, label: s.label})
}

// latest is a heap of spans by number. The span that wins is on top.
type latest struct {
	spans   []span
	numbers []uint32
}

func (l *latest) top() *span { return &l.spans[l.numbers[0]] }
func (l *latest) Len() int   { return len(l.numbers) }
func (l *latest) Less(i, j int) bool {
	a, b := l.numbers[i], l.numbers[j]
	return cmp.Or(cmp.Compare(l.spans[a].rank, l.spans[b].rank), cmp.Compare(a, b)) > 0
}
func (l *latest) Swap(i, j int) { l.numbers[i], l.numbers[j] = l.numbers[j], l.numbers[i] }
func (l *latest) Push(x any)    { l.numbers = append(l.numbers, x.(uint32)) }
func (l *latest) Pop() any {
	last := len(l.numbers) - 1
	x := l.numbers[last]
	l.numbers = l.numbers[:last]
	return x
}

// at returns the symbol that an address lies in. Its start and end bound the part around the
// address that is its own.
func (t *table) at(addr uint64) (symbol, bool) {
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > addr })
	if i == 0 || addr >= t.spans[i-1].end {
		return symbol{}, false
	}
	s := &t.spans[i-1]
	if s.source == unnamed {
		return symbol{start: s.start, end: s.end, entry: t.places[s.name]}, true
	}
	return symbol{start: s.start, end: s.end, name: t.sources[s.source].name(s.name),
		guessed: s.guessed, label: s.label}, true
}

// edge returns where the section of code that an address lies in ends, or where the next one
// begins.
func (t *table) edge(addr uint64) uint64 {
	i := sort.Search(len(t.edges), func(i int) bool { return t.edges[i] > addr })
	if i == len(t.edges) {
		return math.MaxUint64
	}
	return t.edges[i]
}

// find returns the name of the symbol that an address lies in.
func (t *table) find(addr uint64) (string, bool) {
	s, ok := t.at(addr)
	return s.name, ok
}
