package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// file holds an ELF file's functions, by address in the file's own numbering. The file stays open,
// and its functions are read at the program's end: by then it can be deleted, and reading it while
// the program runs would take time from the governor. Names are read when they are asked for.
type file struct {
	path  string // path as its process sees it
	debug debugSource
	image Image // an image that has mapped the file
	// shown and inode are the path and the inode by which the kernel lists the file
	shown, inode string
	closer       func() error
	elf          *elf.File
	loads        []elf.ProgHeader
	frames       *unwind.Table // nil until it is wanted

	budget   *budget // nil: the file gets a budget of its own
	table    table
	read     bool
	problems []string // what could not be read of the functions
	id       string   // build id
	partly   bool     // only exported functions have names
	// nameless are the file's names under which a function without a name was asked for
	nameless []string

	searched     bool
	instrumented []uint32 // the numbers of the functions in the table that call the hook
}

// debugSource opens the nth file that may have a file's symbols, by the file's build id and
// .gnu_debuglink.
type debugSource func(id, link string, nth int) (*os.File, error)

// openELF opens an ELF file of a process. Debug opens files of symbols that are installed apart
// from it.
func openELF(f *os.File, path string, debug debugSource) (*file, error) {
	e, err := regularELF(f)
	if err != nil {
		return nil, fmt.Errorf("read symbols of %s: %w", path, err)
	}
	n := newFile(e)
	n.path, n.debug, n.closer = path, debug, f.Close
	return n, nil
}

func newFile(e *elf.File) *file {
	n := &file{elf: e, closer: func() error { return nil }}
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			n.loads = append(n.loads, p.ProgHeader)
		}
	}
	return n
}

// close closes the file and the files in which its symbols were found. Symbols that have not been
// read by then stay unknown.
func (f *file) close() error {
	f.read = true
	return f.closer()
}

// alsoClose makes close call closer too.
func (f *file) alsoClose(closer func() error) {
	before := f.closer
	f.closer = func() error { return errors.Join(before(), closer()) }
}

func (f *file) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// functions reads the file's functions from its symbol table, from its dynamic one, from a Go
// program's own table, and from symbols that are kept apart. Functions for which a stripped file
// has no symbol are known by their place. Those beyond the budget are left out.
func (f *file) functions() (t table) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			f.problem("read symbols of %s: %v", f.path, p)
		}
	}()
	if f.budget == nil {
		f.budget = newBudget()
	}
	f.id = buildID(f.elf)
	l := &list{budget: f.budget}
	// a stripped file has none
	f.add(l, func() error { return l.symbolsOf(f.elf, elf.SHT_SYMTAB, f.budget) })
	stripped := len(l.spans) == 0
	if stripped {
		f.separate(l)
	}
	f.partly = len(l.spans) == 0
	f.add(l, func() error { return l.symbolsOf(f.elf, elf.SHT_DYNSYM, f.budget) })
	f.add(l, func() error { return l.stubsOf(f.elf, f.budget) })
	if stripped {
		f.add(l, func() error { return l.goFunctions(f.elf, f.budget) })
		f.add(l, func() error { return l.byPlace(f.described) })
	}
	t = l.done()
	if err := f.budget.keep(t.size()); err != nil {
		f.problem("read symbols of %s: %v: its functions have no names", f.path, err)
		return table{}
	}
	return t
}

// add calls some, which adds symbols to a list. Where they are too many, or some fails, the list
// stays as it was, and a problem is noted.
func (f *file) add(l *list, some func() error) {
	spans, places := len(l.spans), len(l.places)
	err := some()
	if err == nil && l.full {
		err = errTooMany
	}
	if err != nil {
		l.spans, l.places, l.full = l.spans[:spans], l.places[:places], false
		f.problem("read symbols of %s: %v: some of its functions have no names", f.path, err)
	}
}

// described calls yield with the functions that a file's call frame information describes:
// compilers write an entry for each, and the entries stay in files whose symbols are stripped.
func (f *file) described(yield func(start, end uint64) bool) error {
	if f.frames == nil {
		f.frames = unwind.Read(f.elf)
	}
	return f.frames.Functions(yield)
}

// byPlace adds the functions that call frame information describes. A symbol without a size covers
// the function that begins where it does. Where a symbol's size is too small, the rest of the
// function has no name.
func (l *list) byPlace(described func(yield func(start, end uint64) bool) error) error {
	named, order := len(l.spans), l.order()
	return described(func(start, end uint64) bool {
		behind := sort.Search(named, func(i int) bool { return l.spans[order[i]].start > start })
		if behind > 0 && l.spans[order[behind-1]].start == start {
			n := &l.spans[order[behind-1]]
			if n.end <= n.start {
				n.end = end
			}
			if start = n.end; start >= end {
				return true
			}
		}
		l.places = append(l.places, start)
		return l.add(span{start: start, end: end, name: uint32(len(l.places) - 1), source: unnamed,
			rank: rankPlace})
	})
}

// address returns the address, in the file's own numbering, of an offset of the file. It returns
// false where no segment has the offset.
func (f *file) address(offset uint64) (addr uint64, ok bool) {
	for i := range f.loads {
		p := &f.loads[i]
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// load reads the file's functions, once.
func (f *file) load() {
	if !f.read {
		f.read, f.table = true, f.functions()
	}
}

// isNameless notes that a function without a name was asked for. Module is the file's name in the
// process.
func (f *file) isNameless(module string) {
	if !slices.Contains(f.nameless, module) && len(f.nameless) < maxModules {
		f.nameless = append(f.nameless, module)
	}
}

// maxModules bounds the names noted for one file: a program can be started by several links.
const maxModules = 16
