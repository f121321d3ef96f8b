package symbols

import (
	"debug/elf"

	"github.com/ebb-energy/ebb/energy/unwind"
)

// functionsOf are the functions of a file's symbol table of one kind, with which of several names of one is its own. A file
// can have hundreds of thousands of symbols: those that are none of functions, and their names, are never made.
func functionsOf(e *elf.File, kind elf.SectionType) (list []named) {
	table := e.SectionByType(kind)
	if table == nil || table.Size > unwind.MaxSection || int(table.Link) >= len(e.Sections) {
		return nil
	}
	text := e.Sections[table.Link]
	if text.Type != elf.SHT_STRTAB || text.Size > unwind.MaxSection {
		return nil
	}
	data, err1 := table.Data()
	raw, err2 := text.Data()
	if err1 != nil || err2 != nil {
		return nil
	}
	names := string(raw)
	size := elf.Sym64Size
	if e.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	for ; len(data) >= size; data = data[size:] {
		var name uint32
		var info byte
		var section uint16
		var value, length uint64
		if order := e.ByteOrder; e.Class == elf.ELFCLASS32 {
			name, value, length = order.Uint32(data), uint64(order.Uint32(data[4:])), uint64(order.Uint32(data[8:]))
			info, section = data[12], order.Uint16(data[14:])
		} else {
			name, info, section = order.Uint32(data), data[4], order.Uint16(data[6:])
			value, length = order.Uint64(data[8:]), order.Uint64(data[16:])
		}
		if t := elf.ST_TYPE(info); t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || value == 0 || elf.SectionIndex(section) == elf.SHN_UNDEF {
			continue
		}
		if s := textAt(names, name); s != "" {
			list = append(list, named{symbol{start: value, end: value + length, name: s}, preference(s, elf.ST_BIND(info))})
		}
	}
	return list
}

// named is a function's symbol, and how much its name is preferred to others.
type named struct {
	symbol
	preference int
}

// textAt is the text that begins somewhere in a table of texts.
func textAt(names string, at uint32) string {
	if int64(at) >= int64(len(names)) {
		return ""
	}
	s := names[at:]
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return ""
}

// preference says which of several symbols of one function is its name: the one with the highest, as in perf (its
// choose_best_symbol): a global one, then a local one, then a weak one, of those the one with the fewest underscores before it.
func preference(name string, bind elf.SymBind) int {
	p := 0
	switch bind {
	case elf.STB_WEAK:
	case elf.STB_LOCAL:
		p = 3
	default:
		p = 6
	}
	for i := range 2 {
		if len(name) <= i || name[i] != '_' {
			return p + 2 - i
		}
	}
	return p
}
