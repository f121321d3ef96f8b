package symbols

import (
	"debug/elf"
	"fmt"
	"io"
)

// maxText bounds a table of names, in bytes: while its symbols are read a quarter of it is kept.
const maxText = 64 << 20

// symbolsOf adds the functions of a file's symbol table of one kind, with the rank that makes one
// of several names a function's own. A file can have hundreds of thousands of symbols: those that
// are none of functions, and names that are not asked for, are never made.
func (l *list) symbolsOf(e *elf.File, kind elf.SectionType, budget *Budget) error {
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
	source := l.source(fileText{text})
	size := elf.Sym64Size
	if e.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	return records(r, size, budget, func(b []byte) bool {
		var name uint32
		var info byte
		var section uint16
		var value, length uint64
		if order := e.ByteOrder; e.Class == elf.ELFCLASS32 {
			name = order.Uint32(b)
			value, length = uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:]))
			info, section = b[12], order.Uint16(b[14:])
		} else {
			name, info, section = order.Uint32(b), b[4], order.Uint16(b[6:])
			value, length = order.Uint64(b[8:]), order.Uint64(b[16:])
		}
		if t := elf.ST_TYPE(info); t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || value == 0 ||
			elf.SectionIndex(section) == elf.SHN_UNDEF {
			return true
		}
		if begins.at(name) == ends {
			return true
		}
		return l.add(span{start: value, end: value + length, name: name, source: source,
			rank: 1 + begins.preference(name, elf.ST_BIND(info))})
	})
}

// fileText is a table of names in a file, which are read when they are asked for.
type fileText struct{ *io.SectionReader }

// maxRaw bounds a name in a file. No longer one is read by anything else.
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

// beginning is for each byte of a table of names what it is, in two bits.
type beginning []byte

const (
	letter = iota
	underscore
	ends
)

// beginnings reads a table of names.
func beginnings(r *io.SectionReader, budget *Budget) (beginning, error) {
	out := make(beginning, r.Size()/4+1)
	at := 0
	err := chunks(r, 1, budget, func(b []byte) bool {
		for i, c := range b {
			switch n := at + i; c {
			case 0:
				out[n/4] |= ends << (n % 4 * 2)
			case '_':
				out[n/4] |= underscore << (n % 4 * 2)
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

// preference says which of several symbols of one function is its name: the one with the highest,
// as in perf (its choose_best_symbol): a global one, then a local one, then a weak one, of those
// the one with the fewest underscores before it.
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
