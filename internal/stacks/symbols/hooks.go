package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

// hook is the function that instrumented code calls at the begin of each function.
const hook = "__cyg_profile_func_enter"

// Bounds of the search for calls of the hook.
const (
	maxHookNames = 8       // places in a table of names that hold the hook's name
	maxHookSlots = 64      // pointers to the hook, and ways to it
	maxHookCalls = 1 << 20 // calls of it
)

// hooks hold a file's ways to the hook. X86-64 code calls a stub that jumps by a pointer (a slot)
// which the linker fills, or calls by the pointer, or, when linked statically, calls the hook
// itself.
type hooks struct {
	slots   map[uint64]bool
	targets map[uint64]bool
}

// hookCalls returns the addresses, ascending, at which a file's code calls the hook, in the file's
// own numbering. It finds none in files for other processors than x86-64.
func (f *file) hookCalls() ([]uint64, error) {
	if f.elf.Machine != elf.EM_X86_64 || f.elf.Class != elf.ELFCLASS64 {
		return nil, nil
	}
	h := &hooks{slots: map[uint64]bool{}, targets: map[uint64]bool{}}
	if err := h.find(f); err != nil {
		return nil, err
	}
	if err := h.linkage(f); err != nil {
		return nil, err
	}
	if len(h.slots)+len(h.targets) == 0 {
		return nil, nil
	}
	var calls []uint64
	err := f.code(func(addr uint64, b []byte) bool {
		if b[0] == 0xe8 && h.targets[relative(addr, b[1:], 5)] ||
			b[0] == 0xff && b[1] == 0x15 && h.slots[relative(addr, b[2:], 6)] {
			calls = append(calls, addr)
		}
		return len(calls) < maxHookCalls
	})
	slices.Sort(calls)
	return slices.Compact(calls), err
}

// linkage finds the ways to the hook in a file's procedure linkage tables: jumps by a slot.
func (h *hooks) linkage(f *file) error {
	for _, s := range f.elf.Sections {
		r, ok := sectionOf(s)
		if len(h.slots) == 0 || !ok || !strings.HasPrefix(s.Name, ".plt") {
			continue
		}
		err := jumps(r, f.budget, func(at uint64, b []byte) bool {
			addr := s.Addr + at
			if b[0] == 0xff && b[1] == 0x25 && h.slots[relative(addr, b[2:], 6)] {
				// After endbr64 (4 bytes), bnd (1) or both.
				for _, before := range []uint64{0, 1, 4, 5} {
					h.targets[addr-before] = true
				}
			}
			return len(h.targets) < 4*maxHookSlots
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// relative returns the target of an x86 instruction at addr that has size bytes, the last four of
// which are the distance.
func relative(addr uint64, distance []byte, size uint64) uint64 {
	return addr + size + uint64(int64(int32(binary.LittleEndian.Uint32(distance))))
}

// instruction is the number of bytes of the longest instruction that is looked for.
const instruction = 6

// code calls each with every address of a file's code at which a call or a jump can begin, and the
// bytes from there on, at least as many as an instruction has, until each returns false.
func (f *file) code(each func(addr uint64, b []byte) bool) error {
	for _, p := range f.elf.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || p.Filesz > 1<<40 || p.Off > 1<<62 {
			continue
		}
		if err := f.budget.scan(int64(p.Filesz)); err != nil {
			return err
		}
		enough := false
		r := io.NewSectionReader(p.ReaderAt, 0, int64(p.Filesz))
		err := jumps(r, f.budget, func(at uint64, b []byte) bool {
			enough = !each(p.Vaddr+at, b)
			return !enough
		})
		if err != nil || enough {
			return err
		}
	}
	return nil
}

// jumps calls each with every place in code at which a call or a jump can begin, in no order, until
// each returns false.
func jumps(r *io.SectionReader, budget *budget, each func(at uint64, b []byte) bool) error {
	return overlapping(r, instruction-1, budget, func(begin uint64, b []byte) bool {
		for _, opcode := range []byte{0xe8, 0xff} {
			for k := 0; ; k++ {
				i := bytes.IndexByte(b[k:], opcode)
				if k += i; i < 0 || k+instruction > len(b) {
					break
				}
				if !each(begin+uint64(k), b[k:]) {
					return false
				}
			}
		}
		return true
	})
}

// overlapping calls each with a section's content, piece by piece, and the place of the piece. The
// last bytes of a piece come again with the next, so that nothing of up to last+1 bytes is cut.
func overlapping(
	r *io.SectionReader, last int, budget *budget, each func(at uint64, b []byte) bool,
) error {
	var piece []byte
	at := uint64(0)
	return chunks(r, 1, budget, func(b []byte) bool {
		keep := min(last, len(piece))
		at += uint64(len(piece) - keep)
		piece = append(piece[:copy(piece, piece[len(piece)-keep:])], b...)
		return each(at, piece)
	})
}

// find finds the hook among a file's symbols: its own address, and the slots for an imported one.
func (h *hooks) find(f *file) error {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		section := f.elf.SectionByType(kind)
		if section == nil || int(section.Link) >= len(f.elf.Sections) {
			continue
		}
		r, ok1 := sectionOf(section)
		text, ok2 := sectionOf(f.elf.Sections[section.Link])
		if !ok1 || !ok2 || text.Size() > maxText {
			continue
		}
		names, err := spelled(text, f.budget)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			continue
		}
		number, imported := uint32(0), uint32(0)
		le := binary.LittleEndian
		err = records(r, elf.Sym64Size, f.budget, func(b []byte) bool {
			if slices.Contains(names, le.Uint32(b)) {
				if at := le.Uint64(b[8:]); at != 0 {
					h.targets[at] = true
				} else if imported == 0 {
					imported = number
				}
			}
			number++
			return len(h.targets) < maxHookSlots
		})
		if err != nil {
			return err
		}
		if kind == elf.SHT_DYNSYM && imported != 0 {
			if err := h.relocated(f, imported); err != nil {
				return err
			}
		}
	}
	return nil
}

// relocated finds the slots that the linker fills with a symbol's address.
func (h *hooks) relocated(f *file, symbol uint32) error {
	le := binary.LittleEndian
	for _, s := range f.elf.Sections {
		r, ok := sectionOf(s)
		if s.Type != elf.SHT_RELA || !ok {
			continue
		}
		err := records(r, relaSize, f.budget, func(b []byte) bool {
			info := le.Uint64(b[8:])
			kind := elf.R_X86_64(uint32(info))
			if uint32(info>>32) == symbol &&
				(kind == elf.R_X86_64_JMP_SLOT || kind == elf.R_X86_64_GLOB_DAT) {
				h.slots[le.Uint64(b)] = true
			}
			return len(h.slots) < maxHookSlots
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// spelled returns the places in a table of names at which the hook's name begins.
func spelled(text *io.SectionReader, budget *budget) (at []uint32, err error) {
	want := []byte(hook + "\x00")
	err = overlapping(text, len(want)-1, budget, func(begin uint64, b []byte) bool {
		for k := 0; ; {
			i := bytes.Index(b[k:], want)
			if i < 0 {
				break
			}
			at = append(at, uint32(begin)+uint32(k+i))
			k += i + len(want)
		}
		return len(at) < maxHookNames
	})
	return at, err
}
