package unwind

import (
	"debug/elf"
	"encoding/binary"
	"io"
)

// Places of the address in which Go's code begins (runtime.text), in words: in the table's header
// behind its first 8 bytes, and in moduledata (runtime/symtab.go in Go's sources).
const (
	headerText = 2  // since Go 1.18; 0 since Go 1.26
	moduleText = 22 // of the section .go.module, since Go 1.26
)

// maxRelocations bounds the relocations that are looked through for one address.
const maxRelocations = 1 << 21

// GoTable returns the section of a Go program's table; nil where there is none.
func GoTable(e *elf.File) *elf.Section {
	if s := e.Section(".gopclntab"); s != nil {
		return s
	}
	return e.Section(".data.rel.ro.gopclntab") // of a file that may be loaded anywhere
}

// GoText returns the address from which the places in a Go program's table count. Go's own linker
// begins .text with it. Where the system's linker was used, as for programs with C in them, code of
// the C library comes first.
func GoText(e *elf.File, table *elf.Section) (uint64, bool) {
	word := uint64(8)
	if e.Class == elf.ELFCLASS32 {
		word = 4
	}
	if at, ok := pointer(e, table, 8+headerText*word, word); ok && at != 0 {
		return at, true
	}
	if module := e.Section(".go.module"); module != nil {
		if at, ok := pointer(e, module, moduleText*word, word); ok && at != 0 {
			return at, true
		}
	}
	if text := e.Section(".text"); text != nil {
		return text.Addr, true
	}
	return 0, false
}

// pointer returns the address that stands in a section at an offset. In a file that may be loaded
// anywhere it stands in the relocation of that place.
func pointer(e *elf.File, s *elf.Section, offset, word uint64) (uint64, bool) {
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.ReaderAt == nil {
		return 0, false
	}
	var b [8]byte
	if _, err := s.ReadAt(b[:word], int64(offset)); err != nil {
		return 0, false
	}
	number := func(b []byte) uint64 {
		if word == 4 {
			return uint64(e.ByteOrder.Uint32(b))
		}
		return e.ByteOrder.Uint64(b)
	}
	if at := number(b[:]); at != 0 || e.Type != elf.ET_DYN || word == 4 {
		return at, true
	}
	moves := e.Section(".rela.dyn")
	if moves == nil || moves.Type == elf.SHT_NOBITS || moves.ReaderAt == nil {
		return 0, false
	}
	return relocated(moves, min(moves.FileSize/24, maxRelocations), e.ByteOrder, s.Addr+offset)
}

// relocated returns the address that a relocation without a symbol puts at a place.
func relocated(
	from io.ReaderAt, count uint64, order binary.ByteOrder, place uint64,
) (uint64, bool) {
	const size = 24 // offset, type and symbol, addend (ELF64's Rela)
	chunk := make([]byte, 1024*size)
	for i := uint64(0); i < count; i += uint64(len(chunk) / size) {
		n, _ := from.ReadAt(chunk, int64(i*size))
		for r := chunk[:n-n%size]; len(r) > 0; r = r[size:] {
			if order.Uint64(r) == place && order.Uint64(r[8:])>>32 == 0 {
				return order.Uint64(r[16:]), true
			}
		}
	}
	return 0, false
}
