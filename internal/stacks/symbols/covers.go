package symbols

import (
	"sort"
	"strings"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// located holds what is known of an address in a file.
type located struct {
	symbol
	addr uint64 // in the file's own numbering
	from uint64 // start of the code around addr, where its function is unknown; else 0
	near string // neighbours of a function without a name, as beside describes them
}

// find returns the function at an offset of the file. It returns false where nothing shows which
// function that is.
//
// A symbol covers its size. A symbol without a size covers what call frame information describes of
// the function that begins there. Without such a description it covers the code up to the next
// symbol or the section's end, as a guess. In a file that has symbols only for what it exports, it
// covers only its own address.
func (f *file) find(offset uint64) (located, bool) {
	addr, ok := f.address(offset)
	if !ok {
		return located{}, false
	}
	f.load()
	s, ok := f.table.at(addr)
	if !ok || s.guessed {
		s, ok = f.bounded(s, ok, addr)
	}
	out := located{symbol: s, addr: addr}
	if !ok {
		out.from = f.table.gap(addr)
	}
	if !ok || s.entry != 0 {
		out.near = f.table.beside(addr)
	}
	return out, ok
}

// frame returns the frame of an address in a file that is called module: that of its function if
// found, else that of the code around it.
func (l located) frame(found bool, module string) Frame {
	switch {
	case found:
		return native(l.symbol, module)
	case l.from != 0:
		return native(symbol{entry: l.from}, module)
	}
	return Frame{Name: "[" + module + "]", Module: module}
}

// bounded decides whether an address belongs to the symbol without a size that lies before it. Ok
// says whether there is such a symbol.
func (f *file) bounded(s symbol, ok bool, addr uint64) (symbol, bool) {
	start, end, described := f.frame(addr)
	if described {
		return f.inFrame(s, ok, start, end)
	}
	if !ok || f.partly && addr != s.start {
		return s, false // a function that is not exported can begin in between
	}
	if _, end, described := f.frame(s.start); described && end <= addr {
		return s, false // the function has ended
	}
	if s.label {
		s = f.table.outer(s)
	}
	s.guessed = !f.partly
	return s, true
}

// inFrame does the work of bounded for an address in a function that call frame information
// describes. One description can cover several functions of an assembler's source.
func (f *file) inFrame(s symbol, ok bool, start, end uint64) (symbol, bool) {
	first, begins := f.table.at(start)
	begins = begins && first.start == start && first.entry == 0
	switch {
	case ok && s.start > start && (!s.label || begins && !first.guessed):
		s.end = min(s.end, end)
		return s, true
	case begins && first.guessed:
		first.end, first.guessed = end, false
		return first, true
	case begins:
		return s, false // the symbol at start has a size
	}
	return symbol{start: start, end: end, entry: start}, true
}

// frame returns the bounds of the function that call frame information describes around an address.
func (f *file) frame(addr uint64) (start, end uint64, ok bool) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			f.problem("read the unwind tables of %s: %v", f.path, p)
			f.frames, ok = &unwind.Table{}, false
		}
	}()
	if f.frames == nil {
		if f.budget == nil {
			f.budget = newBudget()
		}
		if f.frames = (&unwind.Table{}); f.budget.keep(unwind.Need(f.elf)) == nil {
			f.frames = unwind.Read(f.elf)
		}
	}
	return f.frames.Function(addr)
}

// maxLabels bounds the symbols before a label among which its function is searched for.
const maxLabels = 256

// outer returns the function that a label of the netwide assembler lies in: labels inside a
// function "f" are called "f.loop". It returns any other symbol unchanged.
func (t *table) outer(s symbol) symbol {
	function, _, local := strings.Cut(s.name, ".")
	if !local || function == "" {
		return s
	}
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > s.start }) - 1
	for last := i; i >= 0 && i > last-maxLabels && t.spans[i].guessed; i-- {
		before, _ := t.at(t.spans[i].start)
		if before.name == function {
			before.end = s.end
			return before
		}
		if !before.label {
			break
		}
	}
	return s
}

// gap returns where the code around an address begins that no symbol covers for certain: the last
// start or end of a section or symbol before it.
func (t *table) gap(addr uint64) uint64 {
	from := uint64(0)
	if i := sort.Search(len(t.edges), func(i int) bool { return t.edges[i] > addr }); i > 0 {
		from = t.edges[i-1]
	}
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > addr })
	switch {
	case i > 0 && t.spans[i-1].end > addr:
		from = max(from, t.spans[i-1].start)
	case i > 0:
		from = max(from, t.spans[i-1].end)
	}
	return from
}
