package symbols

import (
	"debug/elf"
	"debug/gosym"
	"fmt"

	"github.com/ianlancetaylor/demangle"
)

// file is an ELF file's symbols, by address in the file's own numbering.
type file struct {
	table table
	loads []elf.ProgHeader
}

// openELF reads an ELF file's functions: of its symbol table, of its dynamic one, and of a Go program's own table where it
// is stripped.
func openELF(path string) (_ *file, err error) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read symbols of %s: %v", path, p)
		}
	}()
	e, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	defer e.Close()
	f := &file{}
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			f.loads = append(f.loads, p.ProgHeader)
		}
	}
	var list []symbol
	static, _ := e.Symbols() // a stripped file has none
	dynamic, _ := e.DynamicSymbols()
	for _, s := range append(static, dynamic...) {
		if t := elf.ST_TYPE(s.Info); t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || s.Value == 0 || s.Name == "" {
			continue
		}
		list = append(list, symbol{s.Value, s.Value + s.Size, printable(demangle.Filter(s.Name, demangle.NoParams, demangle.NoTemplateParams))})
	}
	if len(static) == 0 {
		list = append(list, goFunctions(e)...)
	}
	f.table = newTable(list)
	return f, nil
}

// goFunctions reads the table that a Go program carries for its own stack traces.
func goFunctions(e *elf.File) (list []symbol) {
	section, text := e.Section(".gopclntab"), e.Section(".text")
	if section == nil || text == nil {
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
		list = append(list, symbol{f.Entry, f.End, printable(f.Name)})
	}
	return list
}

// find is the function at an offset of the file.
func (f *file) find(offset uint64) (string, bool) {
	for i := range f.loads {
		p := &f.loads[i]
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return f.table.find(offset - p.Off + p.Vaddr)
		}
	}
	return "", false
}
