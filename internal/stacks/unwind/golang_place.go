package unwind

import "debug/elf"

// Places, in bytes, of the address from which functions' places count: in the header of a Go
// program's own table, from Go 1.18 to 1.25, and in the description of the program's module, which
// has a section of its own from Go 1.26 on (runtime.moduledata in Go's sources).
const (
	textInHeader = 24
	textInModule = 176
)

// GoTable returns the section that has a Go program's own table, and the address from which its
// functions' places count; nil where there is none. That is not where the section with the code
// begins in a program that C's linker has linked: its own code comes first.
func GoTable(e *elf.File) (table *elf.Section, text uint64) {
	table, code := e.Section(".gopclntab"), e.Section(".text")
	if table == nil {
		table = e.Section(".data.rel.ro.gopclntab")
	}
	if table == nil || code == nil {
		return nil, 0
	}
	inCode := func(s *elf.Section, at int64) bool {
		text = wordAt(e, s, at)
		return text >= code.Addr && text-code.Addr < code.Size
	}
	if !inCode(table, textInHeader) && !inCode(e.Section(".go.module"), textInModule) {
		text = code.Addr
	}
	return table, text
}

// wordAt returns a word of a section of a 64-bit file; 0 where there is none.
func wordAt(e *elf.File, s *elf.Section, at int64) uint64 {
	var b [8]byte
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 ||
		s.ReaderAt == nil || e.Class != elf.ELFCLASS64 {
		return 0
	}
	if n, _ := s.ReadAt(b[:], at); n < len(b) {
		return 0
	}
	return e.ByteOrder.Uint64(b[:])
}
