package symbols

import (
	"cmp"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/ebb-energy/ebb/energy/unwind"
)

// file is an ELF file's functions, by address in the file's own numbering.
type file struct {
	table  table
	loads  []elf.ProgHeader
	path   string        // where it can be read again while its process lives
	frames *unwind.Table // nil until it is wanted
}

// openELF reads an ELF file's functions: of its symbol table, of its dynamic one, of a Go program's own table, and of the
// symbols that are installed apart, below roots. Functions that a stripped file has no symbol for are known by their
// place.
func openELF(path string, roots ...string) (_ *file, err error) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read symbols of %s: %v", path, p)
		}
	}()
	e, closeFile, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	defer closeFile()
	f := functions(e, roots)
	f.path = path
	return f, nil
}

// functions reads an open file.
func functions(e *elf.File, roots []string) *file {
	f := &file{}
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			f.loads = append(f.loads, p.ProgHeader)
		}
	}
	static := staticSymbols(e) // a stripped file has none
	stripped := len(static) == 0
	if stripped {
		static = separate(e, roots)
	}
	var dynamic []elf.Symbol
	if s := e.SectionByType(elf.SHT_DYNSYM); s != nil && s.Size <= unwind.MaxSection {
		dynamic, _ = e.DynamicSymbols()
	}
	var list []symbol
	all := append(static, dynamic...)
	slices.SortStableFunc(all, func(a, b elf.Symbol) int { return cmp.Compare(preference(&a), preference(&b)) })
	for _, s := range all {
		if t := elf.ST_TYPE(s.Info); t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || s.Value == 0 || s.Name == "" || s.Section == elf.SHN_UNDEF {
			continue
		}
		list = append(list, symbol{start: s.Value, end: s.Value + s.Size, name: s.Name})
	}
	if stripped {
		list = append(list, goFunctions(e)...)
		list = append(byPlace(described(e), list), list...)
	}
	f.table = newTable(list)
	return f
}

// preference says which of several symbols of one function is its name: the one with the highest, as in perf (its
// choose_best_symbol): a global one, then a local one, then a weak one, of those the one with the fewest underscores before it.
func preference(s *elf.Symbol) int {
	p := 0
	switch elf.ST_BIND(s.Info) {
	case elf.STB_WEAK:
	case elf.STB_LOCAL:
		p = 3
	default:
		p = 6
	}
	for i := range 2 {
		if len(s.Name) <= i || s.Name[i] != '_' {
			return p + 2 - i
		}
	}
	return p
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

// staticSymbols is a file's symbol table.
func staticSymbols(e *elf.File) []elf.Symbol {
	if s := e.SectionByType(elf.SHT_SYMTAB); s == nil || s.Size > unwind.MaxSection {
		return nil
	}
	list, err := e.Symbols()
	if err != nil {
		return nil
	}
	return list
}

// openRegular opens an ELF file. A program can have put anything where a file was, so that what is none is not waited for.
func openRegular(path string) (_ *elf.File, closeFile func(), err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	e, err := func() (*elf.File, error) {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", path)
		}
		return elf.NewFile(f)
	}()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return e, func() { _ = f.Close() }, nil // it was only read
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
	return f.table.at(addr)
}
