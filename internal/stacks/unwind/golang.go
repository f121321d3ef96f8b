package unwind

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"sort"
)

// goTable is the part of a Go program's own table (.gopclntab, since Go 1.18) that has, for each
// instruction, the distance of the stack pointer below the return address. Go's functions keep
// frame pointers, apart from those that call no other function, and Go's linker writes no
// .eh_frame.
type goTable struct {
	text uint64 // address that the functions' places count from
	// pairs of uint32: a function's place, and that of its description in info
	functions []byte
	info      []byte
	values    []byte // programs that give a value for each instruction
}

// Values of the table's first word (runtime/symtab.go in Go's sources).
const (
	goMagic118 = 0xfffffff0
	goMagic120 = 0xfffffff1
)

// readGo reads a Go program's table. It returns nil if the file has none.
func readGo(e *elf.File) *goTable {
	section, text := GoTable(e)
	if section == nil || section.Type == elf.SHT_NOBITS ||
		section.Flags&elf.SHF_COMPRESSED != 0 || section.ReaderAt == nil ||
		section.FileSize > 1<<40 {
		return nil
	}
	return parseGo(section, section.FileSize, text)
}

// parseGo reads a table of size bytes, without the names, which come first. It returns nil for one
// that it cannot read.
func parseGo(from io.ReaderAt, size, text uint64) *goTable {
	le := binary.LittleEndian
	const header, word = 8, 8
	var h [header + 8*word]byte
	if n, _ := from.ReadAt(h[:], 0); n < len(h) || h[6] != 1 || h[7] != word {
		return nil
	}
	if magic := le.Uint32(h[:]); magic != goMagic118 && magic != goMagic120 {
		return nil
	}
	field := func(n int) uint64 { return le.Uint64(h[header+n*word:]) }
	count, values, info := field(0), field(6), field(7)
	if values > size || info > size || count > (size-info)/8 {
		return nil
	}
	low := min(values, info)
	if size-low > maxSection {
		return nil
	}
	data, ok := whole(io.NewSectionReader(from, int64(low), int64(size-low)), size-low)
	if !ok {
		return nil
	}
	return &goTable{text: text, functions: data[info-low:][:8*count], info: data[info-low:],
		values: data[values-low:]}
}

func (g *goTable) size() int {
	if g == nil {
		return 0
	}
	return max(cap(g.info), cap(g.values))
}

// depth returns the distance, in bytes, of the stack pointer below the return address at an
// instruction.
func (g *goTable) depth(addr uint64, work *work) (depth uint64, ok bool) {
	le := binary.LittleEndian
	addr -= g.text
	count := len(g.functions) / 8
	i := sort.Search(
		count, func(i int) bool { return uint64(le.Uint32(g.functions[8*i:])) > addr },
	) - 1
	if i < 0 {
		return 0, false
	}
	at, about := uint64(le.Uint32(g.functions[8*i:])), uint64(le.Uint32(g.functions[8*i+4:]))
	const pcsp = 16 // in struct _func (runtime/runtime2.go)
	if n := uint64(len(g.info)); n < pcsp+4 || about > n-pcsp-4 {
		return 0, false
	}
	r := reader{data: g.values, order: le, end: len(g.values)}
	// No function's program starts at zero.
	if start := r.skip(uint64(le.Uint32(g.info[about+pcsp:]))); start != 0 || r.bad || r.at == 0 {
		return 0, false
	}
	value := int64(-1)
	for first := true; work.step(); first = false {
		change := r.uleb()
		if r.bad || change == 0 && !first {
			return 0, false
		}
		value += int64(change>>1) ^ -int64(change&1)
		at += r.uleb()
		if addr < at {
			return uint64(value), value >= 0 && value&7 == 0
		}
	}
	return 0, false
}

// goLeaf moves the walk to the caller of the innermost function of a Go program.
func (w *walk) goLeaf(g *goTable, addr uint64) bool {
	depth, ok := g.depth(addr, &w.program.work)
	if !ok {
		return false
	}
	place := w.regs[rsp] + depth
	address, ok := w.word(place)
	if !ok || address == 0 || place < w.regs[rsp] {
		return false
	}
	if depth > 0 { // the function's first instruction saved the frame pointer
		if w.regs[rbp], ok = w.word(place - 8); !ok {
			return false
		}
	}
	w.regs[rip], w.regs[rsp] = address, place+8
	w.known = 1<<rip | 1<<rbp | 1<<rsp
	return true
}
