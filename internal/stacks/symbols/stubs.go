package symbols

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"strings"
)

// maxStubs bounds the stubs of one file.
const maxStubs = 1 << 16

// pltMark follows the name of another file's function in the name of the stub that calls it, as
// debuggers write it.
const pltMark = "@plt"

// stubNames reads the names of stubs, by the numbers of their functions among a file's dynamic
// symbols.
type stubNames struct {
	symbols *io.SectionReader
	text    fileText
	order   binary.ByteOrder
}

func (n stubNames) name(at uint32) string {
	var b [4]byte
	if _, err := n.symbols.ReadAt(b[:], int64(at)*elf.Sym64Size); err != nil {
		return pltMark
	}
	return n.text.name(n.order.Uint32(b[:])) + pltMark
}

// stubsOf adds the stubs by which a file calls functions of others (its procedure linkage table).
// No symbol covers them. Each jumps by a slot, and a relocation has the symbol whose address the
// linker puts there. It adds none for other processors than x86-64.
func (l *list) stubsOf(e *elf.File, budget *budget) error {
	section := e.SectionByType(elf.SHT_DYNSYM)
	if e.Machine != elf.EM_X86_64 || e.Class != elf.ELFCLASS64 || section == nil ||
		int(section.Link) >= len(e.Sections) {
		return nil
	}
	symbols, ok1 := sectionOf(section)
	text, ok2 := sectionOf(e.Sections[section.Link])
	if !ok1 || !ok2 {
		return nil
	}
	stubs := map[uint64]span{} // by their slots
	for _, s := range e.Sections {
		if err := stubsIn(s, budget, stubs); err != nil {
			return err
		}
	}
	source := l.source(stubNames{symbols, fileText{text}, e.ByteOrder})
	// Nearly all relocations of stubs are in .rela.plt. Others can have a million for data.
	for _, s := range append([]*elf.Section{e.Section(".rela.plt")}, e.Sections...) {
		r, ok := sectionOf(s)
		if !ok || s.Type != elf.SHT_RELA || len(stubs) == 0 {
			continue
		}
		err := records(r, relaSize, budget, func(b []byte) bool {
			slot, info := e.ByteOrder.Uint64(b), e.ByteOrder.Uint64(b[8:])
			kind, symbol := elf.R_X86_64(uint32(info)), uint32(info>>32)
			stub, ok := stubs[slot]
			if kind == elf.R_X86_64_IRELATIVE {
				delete(stubs, slot) // its function is chosen by code: it has no name
				return len(stubs) > 0
			}
			if !ok || symbol == 0 ||
				kind != elf.R_X86_64_JMP_SLOT && kind != elf.R_X86_64_GLOB_DAT {
				return true
			}
			delete(stubs, slot)
			stub.name, stub.source = symbol, source
			return l.add(stub) && len(stubs) > 0
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// relaSize is the size of a relocation with an addend, in bytes.
const relaSize = 24

// stubsIn adds the stubs in a section to a map, by the slots that they jump by.
func stubsIn(s *elf.Section, budget *budget, stubs map[uint64]span) error {
	r, ok := sectionOf(s)
	if !ok || !strings.HasPrefix(s.Name, ".plt") {
		return nil
	}
	size := uint64(16)
	if s.Entsize == 8 {
		size = 8
	}
	at := uint64(0)
	return records(r, int(size), budget, func(b []byte) bool {
		start := s.Addr + at
		at += size
		for _, before := range []uint64{0, 1, 4, 5} { // behind endbr64 (4 bytes), bnd (1) or both
			if b := b[before:]; len(b) >= instruction && b[0] == 0xff && b[1] == 0x25 {
				stubs[relative(start+before, b[2:], instruction)] = span{start: start,
					end: start + size, rank: rankStub}
				break
			}
		}
		return len(stubs) < maxStubs
	})
}
