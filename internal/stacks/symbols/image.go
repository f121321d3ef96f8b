package symbols

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Bounds of an ELF file's headers. Linkers write some 40 sections and a dozen segments, and the
// sections' names take a few hundred bytes.
const (
	maxSections     = 512
	maxSegments     = 128
	maxSectionNames = 16 << 10 // bytes, with those that several sections share counted for each
)

var errHeaders = errors.New("no linker writes such headers")

// readELF reads an ELF file's headers, after a check of the memory that debug/elf would take for
// them: a few kilobytes on disk can claim millions of sections, each with a name as long as the
// file.
func readELF(r io.ReaderAt) (e *elf.File, err error) {
	defer func() {
		// debug/elf guards against what it reads, but has had panics on files that lie
		if p := recover(); p != nil {
			e, err = nil, fmt.Errorf("%w: %v", errHeaders, p)
		}
	}()
	if err := checkHeaders(r); err != nil {
		return nil, err
	}
	if e, err = elf.NewFile(r); err != nil {
		return nil, err
	}
	// Sections that are never read are not kept: a program can have a thousand files.
	none := &elf.Section{}
	for i, s := range e.Sections {
		if wanted := slices.Contains(wantedKinds, s.Type) || s.Flags&elf.SHF_EXECINSTR != 0 ||
			slices.Contains(wantedSections, s.Name); !wanted {
			e.Sections[i] = none
		}
	}
	e.Progs = slices.DeleteFunc(e.Progs, func(p *elf.Prog) bool { return p.Type != elf.PT_LOAD })
	return e, nil
}

// wantedKinds are the kinds by which sections are found.
var wantedKinds = []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM, elf.SHT_STRTAB, elf.SHT_RELA}

// wantedSections are the names by which sections are found.
var wantedSections = []string{
	".text", ".eh_frame", ".eh_frame_hdr", ".gopclntab", ".data.rel.ro.gopclntab", ".go.module",
	".note.gnu.build-id", ".gnu_debuglink", ".gnu_debugdata", ".plt", ".plt.sec", ".plt.got",
}

// checkHeaders refuses a file with too many sections or segments, or with names of sections that
// are too long. It passes headers that it cannot interpret, since debug/elf does not read those.
func checkHeaders(r io.ReaderAt) error {
	var h [64]byte
	if n, _ := r.ReadAt(h[:], 0); n < 52 || string(h[:4]) != elf.ELFMAG {
		return errors.New("not an ELF file")
	}
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(h[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	wide := elf.Class(h[elf.EI_CLASS]) == elf.ELFCLASS64
	var from uint64
	// size and number of segments, size and number of sections, number of the section with their
	// names
	var counts []byte
	size, segment := 40, 32
	if wide {
		from, counts, size, segment = order.Uint64(h[40:]), h[54:], 64, 56
	} else {
		from, counts = uint64(order.Uint32(h[32:])), h[42:]
	}
	segments, sections := int(order.Uint16(counts[2:])), int(order.Uint16(counts[6:]))
	names := int(order.Uint16(counts[8:]))
	// debug/elf reads as many bytes of headers as their sizes say.
	if segments > 0 && int(order.Uint16(counts)) != segment {
		return errHeaders
	}
	if segments > maxSegments || sections > maxSections || sections == 0 && from != 0 ||
		from > 1<<62 || int(order.Uint16(counts[4:])) != size && sections > 0 {
		return errHeaders // none, but a place: there are more than 65279
	}
	if sections == 0 {
		return nil
	}
	table := make([]byte, size*sections)
	if n, _ := r.ReadAt(table, int64(from)); n < len(table) || names >= sections {
		return errHeaders
	}
	return checkNames(r, order, wide, table, table[size*names:][:size])
}

// checkNames refuses sections whose names together are too long. Text is the header of the section
// with the names.
func checkNames(r io.ReaderAt, order binary.ByteOrder, wide bool, table, text []byte) error {
	at, length := uint64(0), uint64(0)
	if wide {
		at, length = order.Uint64(text[24:]), order.Uint64(text[32:])
	} else {
		at, length = uint64(order.Uint32(text[16:])), uint64(order.Uint32(text[20:]))
	}
	flags := order.Uint32(text[8:])
	if wide {
		flags = uint32(order.Uint64(text[8:]))
	}
	if at > 1<<62 || length > maxSectionNames || elf.SectionFlag(flags)&elf.SHF_COMPRESSED != 0 {
		return errHeaders
	}
	names := make([]byte, length)
	if n, _ := r.ReadAt(names, int64(at)); n < len(names) {
		return errHeaders
	}
	sum := 0
	for size := len(text); len(table) >= size; table = table[size:] {
		if name := order.Uint32(table); uint64(name) < length {
			sum += len(words(names).name(name)) + 1
		}
	}
	if sum > maxSectionNames {
		return errHeaders
	}
	return nil
}

// sectionOf returns a reader of a section's bytes in the file. It returns false for a section
// without bytes in the file, and for a compressed one: linkers compress none that is read here.
func sectionOf(s *elf.Section) (r *io.SectionReader, ok bool) {
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 ||
		s.ReaderAt == nil || s.Offset > 1<<62 || s.FileSize == 0 || s.FileSize > 1<<62 {
		return nil, false
	}
	// Callers allocate memory for the whole section. Its last byte must be there, since a small
	// file can claim a large section.
	var last [1]byte
	if n, _ := s.ReadAt(last[:], int64(s.FileSize)-1); n == 0 {
		return nil, false
	}
	return io.NewSectionReader(s.ReaderAt, 0, int64(s.FileSize)), true
}

// content returns a section's bytes, or an error where there are more than most.
func content(s *elf.Section, most int64) ([]byte, error) {
	r, ok := sectionOf(s)
	if !ok {
		return nil, errors.New("there is none")
	}
	if r.Size() > most {
		return nil, errTooLong
	}
	b := make([]byte, r.Size())
	if n, err := r.ReadAt(b, 0); n < len(b) {
		return nil, err
	}
	return b, nil
}

// chunks calls each with a section's content, piece by piece, until each returns false. A piece has
// whole records of size bytes, but for the last, which can be cut. The section is never in memory
// as a whole.
func chunks(r *io.SectionReader, size int64, budget *budget, each func(chunk []byte) bool) error {
	if err := budget.goThrough(r.Size()); err != nil {
		return err
	}
	const atOnce = 64 << 10
	b := make([]byte, min(atOnce/size*size, r.Size()))
	for at := int64(0); at < r.Size(); at += int64(len(b)) {
		n, err := r.ReadAt(b[:min(int64(len(b)), r.Size()-at)], at)
		if n == 0 && err != io.EOF {
			return err
		}
		if n == 0 || !each(b[:n]) || err != nil {
			return nil // the file ends before its section does
		}
		budget.step()
	}
	return nil
}

// records calls each with a section's records of size bytes, one after the other, until each
// returns false.
func records(r *io.SectionReader, size int, budget *budget, each func(record []byte) bool) error {
	return chunks(r, int64(size), budget, func(b []byte) bool {
		for ; len(b) >= size; b = b[size:] {
			if !each(b[:size]) {
				return false
			}
		}
		return true
	})
}
