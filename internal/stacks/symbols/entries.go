package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Entry holds where the functions of one name begin.
type Entry struct {
	Offsets []uint64 // offsets in the file, ascending; several for copies and for static functions
	Shown   string   // name of the first function, as User writes it
	Err     error    // why there are no offsets; else nil
}

var (
	errNoFunction = errors.New("there is no function of this name in its symbols")
	errStripped   = errors.New("its symbols are stripped, and it exports no function of this name")
	errIndirect   = errors.New("another function takes its place when the program starts (an " +
		"ifunc): name that one")
	errMachine = errors.New("it is no 64-bit ELF file for this processor")
)

// Entries finds the functions of an ELF file by their names, which are written as symbols have them
// or without parameters. Copies that GCC made for constants count as the function; parts of
// functions do not. An Entry with more than most functions has an error. The error that Entries
// returns is the file's.
func Entries(f *os.File, names []string, most int) (list []Entry, err error) {
	// debug/elf guards against what it reads, but has had panics on files that lie.
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, fmt.Errorf("read its symbols: %v", p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errMachine
	}
	e, err := readELF(f)
	if err != nil {
		return nil, err
	}
	if e.Class != elf.ELFCLASS64 || e.Machine != machines[runtime.GOARCH] {
		return nil, errMachine
	}
	s := search{elf: e, names: names, most: most, budget: newBudget(),
		found: make([]Entry, len(names))}
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		if err := s.in(kind); err != nil {
			return nil, err
		}
	}
	return s.done(), nil
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// search holds a search for functions by their names.
type search struct {
	elf    *elf.File
	names  []string
	most   int
	budget *budget
	found  []Entry
	whole  bool // the file has its own symbols, not only those that it exports
}

// in searches the symbol table of a kind, if the file has one.
func (s *search) in(kind elf.SectionType) error {
	section := s.elf.SectionByType(kind)
	if section == nil || int(section.Link) >= len(s.elf.Sections) ||
		s.elf.Sections[section.Link].Type != elf.SHT_STRTAB {
		return nil
	}
	r, ok1 := sectionOf(section)
	text, ok2 := sectionOf(s.elf.Sections[section.Link])
	if !ok1 || !ok2 {
		return nil
	}
	if text.Size() > maxText {
		return fmt.Errorf("its symbols' names have %d MB", text.Size()>>20)
	}
	if err := s.budget.goThrough(text.Size()); err != nil {
		return err
	}
	names := make(words, text.Size())
	if n, err := text.ReadAt(names, 0); err != nil && err != io.EOF {
		return err
	} else {
		names = names[:n]
	}
	s.whole = s.whole || kind == elf.SHT_SYMTAB
	order := s.elf.ByteOrder
	return records(r, elf.Sym64Size, s.budget, func(b []byte) bool {
		if elf.SectionIndex(order.Uint16(b[6:])) != elf.SHN_UNDEF {
			s.take(names, order.Uint32(b), elf.ST_TYPE(b[4]), order.Uint64(b[8:]))
		}
		return true
	})
}

// take notes a symbol if it is a function that is searched for.
func (s *search) take(text words, at uint32, kind elf.SymType, value uint64) {
	if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
		return
	}
	if uint64(at) >= uint64(len(text)) {
		return
	}
	symbol := text[:min(len(text), int(at)+maxRaw)].name(at) // a name can be as long as the table
	for i, name := range s.names {
		if !isNamed(symbol, name) {
			continue
		}
		x := &s.found[i]
		offset, ok := s.offset(value)
		switch {
		case kind == elf.STT_GNU_IFUNC:
			x.Err = errIndirect
		case !ok:
			x.Err = errors.New("its symbol is of no code")
		case slices.Contains(x.Offsets, offset):
		case len(x.Offsets) == s.most:
			x.Err = fmt.Errorf("more than %d functions have this name", s.most)
		default:
			x.Offsets = append(x.Offsets, offset)
		}
	}
}

// isNamed reports whether a symbol belongs to a function of a name.
func isNamed(symbol, name string) bool {
	symbol, _, _ = strings.Cut(symbol, "@") // the symbol's version follows
	if symbol == name {
		return true
	}
	// Most symbols are dropped here, before they are demangled: the last part of the name is in the
	// symbol as it is.
	last := name[strings.LastIndexByte(name, ':')+1:]
	if !strings.Contains(symbol, last) {
		return false
	}
	if whole, copies, some := strings.Cut(symbol, "."); some && copied(copies) {
		return whole == name || demangled(whole) == name
	}
	return demangled(symbol) == name
}

// copied reports whether the end of a symbol marks a copy that GCC made of a whole function.
func copied(ending string) bool {
	for part := range strings.SplitSeq(ending, ".") {
		if part != "constprop" && part != "isra" && strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// offset returns the file offset of an address in the file's code, and false for any other address.
func (s *search) offset(address uint64) (uint64, bool) {
	for _, p := range s.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && address >= p.Vaddr &&
			address-p.Vaddr < p.Filesz && p.Off < 1<<62 && address-p.Vaddr < 1<<62 {
			return p.Off + (address - p.Vaddr), true
		}
	}
	return 0, false
}

// done returns what was found. An entry with an error has no offsets.
func (s *search) done() []Entry {
	shown := newFile(s.elf)
	for i := range s.found {
		x := &s.found[i]
		switch {
		case x.Err != nil:
			x.Offsets = nil
			continue
		case len(x.Offsets) == 0 && s.whole:
			x.Err = errNoFunction
			continue
		case len(x.Offsets) == 0:
			x.Err = errStripped
			continue
		}
		slices.Sort(x.Offsets)
		if n, ok := shown.find(x.Offsets[0]); ok {
			n.guessed = false // the function begins there
			x.Shown = native(n.symbol, "").Name
		}
	}
	return s.found
}
