package symbols

import (
	"debug/elf"
	"fmt"
	"io"
	"slices"
)

// maxText bounds a table of names, in bytes. A quarter as much memory is used while its symbols are
// read.
const maxText = 64 << 20

// symbolsOf adds the functions of a file's symbol table of one kind, and the labels of its code, to
// which assemblers give no type. The rank decides which of several symbols of a function names it.
// A file can have hundreds of thousands of symbols, so no strings are made here: names are read
// when they are asked for.
func (l *list) symbolsOf(e *elf.File, kind elf.SectionType, budget *budget) error {
	section := e.SectionByType(kind)
	if section == nil || int(section.Link) >= len(e.Sections) ||
		e.Sections[section.Link].Type != elf.SHT_STRTAB {
		return nil
	}
	r, ok1 := sectionOf(section)
	text, ok2 := sectionOf(e.Sections[section.Link])
	if !ok1 || !ok2 {
		return nil
	}
	if text.Size() > maxText {
		return fmt.Errorf("its symbols' names have %d MB", text.Size()>>20)
	}
	begins, err := beginnings(text, budget)
	if err != nil {
		return err
	}
	source, code := l.source(fileText{text}), l.codeOf(e)
	size := elf.Sym64Size
	if e.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	return records(r, size, budget, func(b []byte) bool {
		var name uint32
		var info byte
		var index uint16
		var value, length uint64
		if order := e.ByteOrder; e.Class == elf.ELFCLASS32 {
			name = order.Uint32(b)
			value, length = uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:]))
			info, index = b[12], order.Uint16(b[14:])
		} else {
			name, info, index = order.Uint32(b), b[4], order.Uint16(b[6:])
			value, length = order.Uint64(b[8:]), order.Uint64(b[16:])
		}
		kind, bind := elf.ST_TYPE(info), elf.ST_BIND(info)
		function := kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC
		first := begins.at(name)
		if !function && kind != elf.STT_NOTYPE || value == 0 || first == ends ||
			elf.SectionIndex(index) == elf.SHN_UNDEF {
			return true
		}
		from, to, known := code.of(index)
		if outside := known && (value < from || value >= to); outside && length == 0 {
			return true // where the code ends, as etext
		}
		if !function && (!known || first == dotted) {
			return true // data, or $x of arm64, .L, and other marks that no function has
		}
		s := span{start: value, end: value + length, name: name, source: source, label: !function,
			rank: rankSymbol + begins.preference(name, bind)}
		if function {
			s.rank += preferences
		}
		if length > 0 {
			s.rank += 2 * preferences
		}
		return l.add(s)
	})
}

// codeSections are a file's sections, by their numbers.
type codeSections []*elf.Section

// codeOf returns a file's sections, and adds the bounds of those with code to the list's edges: a
// symbol without a size covers nothing beyond its section.
func (l *list) codeOf(e *elf.File) codeSections {
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			l.edges = append(l.edges, s.Addr, s.Addr+s.Size)
		}
	}
	slices.Sort(l.edges)
	l.edges = slices.Compact(l.edges)
	return e.Sections
}

// of returns where the code of a section begins and ends, and false for a section without code.
func (c codeSections) of(index uint16) (from, to uint64, ok bool) {
	if int(index) >= len(c) || c[index].Flags&elf.SHF_EXECINSTR == 0 {
		return 0, 0, false
	}
	return c[index].Addr, c[index].Addr + c[index].Size, true
}

// fileText is a table of names in a file. Each is read when it is asked for.
type fileText struct{ *io.SectionReader }

// maxRaw bounds the bytes that are read of a name in a file. It is more than demangled accepts, so
// a name that is cut is not demangled.
const maxRaw = maxMangled + 1

func (f fileText) name(at uint32) string {
	var b [maxRaw]byte
	for n := 0; n < len(b); {
		some, err := f.ReadAt(b[n:min(len(b), n+256)], int64(at)+int64(n))
		if s := words(b[:n+some]).name(uint32(n)); n+len(s) < n+some {
			return string(b[:n+len(s)])
		}
		if n += some; err != nil {
			return "" // cut
		}
	}
	return string(b[:])
}

// beginning holds the kind of each byte of a table of names, in two bits.
type beginning []byte

const (
	letter = iota
	underscore
	ends
	dotted // '$' or '.'
)

// beginnings reads a table of names and returns the kinds of its bytes.
func beginnings(r *io.SectionReader, budget *budget) (beginning, error) {
	out := make(beginning, r.Size()/4+1)
	at := 0
	err := chunks(r, 1, budget, func(b []byte) bool {
		for i, c := range b {
			switch n := at + i; c {
			case 0:
				out[n/4] |= ends << (n % 4 * 2)
			case '_':
				out[n/4] |= underscore << (n % 4 * 2)
			case '$', '.':
				out[n/4] |= dotted << (n % 4 * 2)
			}
		}
		at += len(b)
		return true
	})
	return out, err
}

func (b beginning) at(name uint32) byte {
	if int(name/4) >= len(b) {
		return ends
	}
	return b[name/4] >> (name % 4 * 2) & 3
}

// preferences is the number of values that preference has.
const preferences = 9

// preference ranks the symbols of one function, as perf does (its choose_best_symbol): the highest
// names the function. Global symbols come before local ones, and these before weak ones; among them
// the fewer leading underscores the better.
func (b beginning) preference(name uint32, bind elf.SymBind) uint8 {
	p := uint8(0)
	switch bind {
	case elf.STB_WEAK:
	case elf.STB_LOCAL:
		p = 3
	default:
		p = 6
	}
	for i := range uint32(2) {
		if b.at(name+i) != underscore {
			return p + 2 - uint8(i)
		}
	}
	return p
}
