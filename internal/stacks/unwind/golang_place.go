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
	if word := e.ByteOrder.Uint64(b[:]); word != 0 || e.Type != elf.ET_DYN {
		return word
	}
	return relocated(e, s.Addr+uint64(at))
}

// maxRelocations bounds the relocations that are looked through for one address.
const maxRelocations = 1 << 21

// relocated returns the address that a relocation without a symbol puts at a place of a file that
// may be loaded anywhere; 0 where there is none. Some linkers leave the place itself empty (lld).
func relocated(e *elf.File, place uint64) uint64 {
	const size = 24 // offset, type and symbol, addend (ELF64's Rela)
	s := e.Section(".rela.dyn")
	if s == nil || s.Type != elf.SHT_RELA || s.ReaderAt == nil {
		return 0
	}
	chunk, order := make([]byte, 1024*size), e.ByteOrder
	for i := range min(s.FileSize/uint64(len(chunk))+1, maxRelocations/1024) {
		n, _ := s.ReadAt(chunk, int64(i)*int64(len(chunk))) // less at the end
		for r := chunk[:n-n%size]; len(r) > 0; r = r[size:] {
			if order.Uint64(r) == place && order.Uint64(r[8:])>>32 == 0 {
				return order.Uint64(r[16:])
			}
		}
	}
	return 0
}
