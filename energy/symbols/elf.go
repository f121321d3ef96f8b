package symbols

import (
	"cmp"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
	"slices"

	"github.com/ebb-energy/ebb/energy/unwind"
)

// file is an ELF file's functions, by address in the file's own numbering. It stays open until they are read, at the program's
// end: by then it can be deleted, and while the program runs the reading would take time from what decides.
type file struct {
	path   string // as its process sees it
	debug  debugSource
	closer func() error
	elf    *elf.File
	loads  []elf.ProgHeader
	frames *unwind.Table // nil until it is wanted

	table    table
	read     bool
	problems []string // what could not be read of them
	id       string   // its build id
	nameless bool     // a function was asked for that has no name
}

// debugSource opens the nth file that may have a file's symbols, by the file's build id and .gnu_debuglink.
type debugSource func(id, link string, nth int) (*os.File, error)

// openELF opens an ELF file of a process. Debug opens symbols that are installed apart.
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

// close gives the file up: what has not been read of it stays unknown.
func (f *file) close() error {
	f.read = true
	return f.closer()
}

// functions reads the file's functions: of its symbol table, of its dynamic one, of a Go program's own table, and of the symbols
// that are kept apart. Functions that a stripped file has no symbol for are known by their place.
func (f *file) functions() (t table) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			f.problems = append(f.problems, fmt.Sprintf("read symbols of %s: %v", f.path, p))
		}
	}()
	e := f.elf
	f.id = buildID(e)
	static := functionsOf(e, elf.SHT_SYMTAB) // a stripped file has none
	stripped := len(static) == 0
	if stripped {
		static = f.separate()
	}
	all := append(static, functionsOf(e, elf.SHT_DYNSYM)...)
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Compare(a.preference, b.preference) })
	list := make([]symbol, len(all))
	for i := range all {
		list[i] = all[i].symbol
	}
	if stripped {
		list = append(list, goFunctions(e)...)
		list = append(byPlace(described(e), list), list...)
	}
	return newTable(list)
}

// described are the functions that a file's call frame information describes, by place alone: compilers write an entry for
// each, and it stays in files whose symbols are stripped.
func described(e *elf.File) (list []symbol) {
	unwind.ReadFunctions(e, func(start, end uint64) { list = append(list, symbol{start: start, end: end}) })
	return list
}

// byPlace gives the functions that call frame information tells of the names of the symbols that begin where they do, so
// that a function whose symbol tells no size, or too little of one, is whole.
func byPlace(ranges, named []symbol) []symbol {
	names := make(map[uint64]string, len(named))
	for _, s := range named {
		names[s.start] = s.name
	}
	for i := range ranges {
		r := &ranges[i]
		if name, ok := names[r.start]; ok {
			r.name = name
		} else {
			r.entry = r.start
		}
	}
	return ranges
}

// goFunctions reads the table that a Go program carries for its own stack traces.
func goFunctions(e *elf.File) (list []symbol) {
	section, text := e.Section(".gopclntab"), e.Section(".text")
	if section == nil || text == nil || section.Size > unwind.MaxSection {
		return nil
	}
	data, err := section.Data()
	if err != nil {
		return nil
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil
	}
	for i := range t.Funcs {
		f := &t.Funcs[i]
		list = append(list, symbol{start: f.Entry, end: f.End, name: f.Name})
	}
	return list
}

// address is the address in the file's own numbering of an offset of the file.
func (f *file) address(offset uint64) (addr uint64, ok bool) {
	for i := range f.loads {
		p := &f.loads[i]
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// find is the function at an offset of the file.
func (f *file) find(offset uint64) (symbol, bool) {
	addr, ok := f.address(offset)
	if !ok {
		return symbol{}, false
	}
	if !f.read {
		f.read, f.table = true, f.functions()
	}
	s, found := f.table.at(addr)
	f.nameless = f.nameless || !found || s.entry != 0
	return s, found
}
