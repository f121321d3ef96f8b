package usdt

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrMalformed: a file is no ELF file, contradicts itself, or is beyond the bounds below.
var ErrMalformed = errors.New("malformed ELF file")

// Bounds on the parts of a file that are read. A JVM has 33 sections, 10 segments, 307 bytes of
// names and 52 kB of notes. debug/elf has no such bounds: it allocates what the header's counts ask
// for, and inflates compressed sections.
const (
	maxSections = 1024
	maxSegments = 128
	maxNames    = 64 << 10 // bytes of section names
	maxNotes    = 1 << 20  // bytes of notes
	// MaxPlaces is the highest number of places of one probe.
	MaxPlaces = 64
)

// Sizes of the parts of a 64-bit file (System V ABI, object files).
const (
	headerSize  = 64
	sectionSize = 64
	segmentSize = 56
)

// image holds the headers of a 64-bit little-endian ELF file, as far as probes need them.
type image struct {
	file     io.ReaderAt
	size     uint64
	names    []byte
	sections []section
	code     []segment // segments that are loaded as code
}

type section struct {
	name                  uint32
	kind                  elf.SectionType
	flags                 elf.SectionFlag
	address, offset, size uint64
}

type segment struct{ address, offset, size uint64 }

// readImage reads the headers. It returns nil for an ELF file of another kind.
func readImage(file io.ReaderAt, size int64) (*image, error) {
	im := &image{file: file, size: uint64(max(size, 0))}
	head, err := im.read(0, headerSize)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		return nil, fmt.Errorf("%w: no ELF header", ErrMalformed)
	}
	if elf.Class(head[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		elf.Data(head[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, nil
	}
	if err := im.readSegments(head); err != nil {
		return nil, err
	}
	return im, im.readSections(head)
}

func (im *image) readSegments(head []byte) error {
	at, each := binary.LittleEndian.Uint64(head[32:]), binary.LittleEndian.Uint16(head[54:])
	n := binary.LittleEndian.Uint16(head[56:])
	if n == 0 {
		return nil
	}
	if each != segmentSize || n > maxSegments {
		return fmt.Errorf("%w: %d segments of %d bytes", ErrMalformed, n, each)
	}
	data, err := im.read(at, uint64(n)*segmentSize)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	for ; len(data) > 0; data = data[segmentSize:] {
		kind, flags := elf.ProgType(
			binary.LittleEndian.Uint32(data),
		), elf.ProgFlag(binary.LittleEndian.Uint32(data[4:]))
		if kind == elf.PT_LOAD && flags&elf.PF_X != 0 {
			im.code = append(im.code, segment{binary.LittleEndian.Uint64(data[16:]),
				binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[32:])})
		}
	}
	return nil
}

func (im *image) readSections(head []byte) error {
	at, each := binary.LittleEndian.Uint64(head[40:]), binary.LittleEndian.Uint16(head[58:])
	n, names := binary.LittleEndian.Uint16(head[60:]), binary.LittleEndian.Uint16(head[62:])
	if at == 0 {
		return nil
	}
	// No sections although there is a table: their number is above 65,279, in the first of them.
	if each != sectionSize || n == 0 || n > maxSections || names >= n {
		return fmt.Errorf("%w: %d sections of %d bytes, names in the %dth", ErrMalformed, n, each,
			names)
	}
	data, err := im.read(at, uint64(n)*sectionSize)
	if err != nil {
		return fmt.Errorf("sections: %w", err)
	}
	im.sections = make([]section, 0, n)
	for ; len(data) > 0; data = data[sectionSize:] {
		im.sections = append(im.sections, section{
			name:    binary.LittleEndian.Uint32(data),
			kind:    elf.SectionType(binary.LittleEndian.Uint32(data[4:])),
			flags:   elf.SectionFlag(binary.LittleEndian.Uint64(data[8:])),
			address: binary.LittleEndian.Uint64(data[16:]),
			offset:  binary.LittleEndian.Uint64(data[24:]),
			size:    binary.LittleEndian.Uint64(data[32:]),
		})
	}
	if names == 0 {
		return nil // sections without names
	}
	if im.names, err = im.contents(&im.sections[names], maxNames); err != nil {
		return fmt.Errorf("names of sections: %w", err)
	}
	return nil
}

// section returns the first section of a name, nil without one.
func (im *image) section(name string) *section {
	for i := range im.sections {
		s := &im.sections[i]
		if uint64(s.name) < uint64(len(im.names)) {
			if is, _, ended := bytes.Cut(im.names[s.name:min(len(im.names),
				int(s.name)+len(name)+1)], []byte{0}); ended && string(is) == name {
				return s
			}
		}
	}
	return nil
}

// contents reads a section, whose size most bounds. Notes and names are never compressed, and bytes
// that are not in the file cannot be read.
func (im *image) contents(s *section, most uint64) ([]byte, error) {
	switch {
	case s.kind == elf.SHT_NOBITS, s.flags&elf.SHF_COMPRESSED != 0:
		return nil, fmt.Errorf("%w: it is compressed or has no bytes", ErrMalformed)
	case s.size > most:
		return nil, fmt.Errorf("%w: %d bytes, above %d", ErrMalformed, s.size, most)
	}
	return im.read(s.offset, s.size)
}

// read reads n bytes, which the caller has bounded.
func (im *image) read(at, n uint64) ([]byte, error) {
	if at > im.size || n > im.size-at {
		return nil, fmt.Errorf("%w: %d bytes at %d, the file has %d", ErrMalformed, n, at, im.size)
	}
	data := make([]byte, n)
	switch got, err := im.file.ReadAt(data, int64(at)); {
	case got == len(data):
		return data, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: cut at %d", ErrMalformed, at+uint64(got))
	default:
		return nil, err
	}
}

// offset returns the place in the file of an address in the code.
func (im *image) offset(address uint64) (uint64, bool) {
	for _, s := range im.code {
		if address < s.address || address-s.address >= s.size {
			continue
		}
		if in := address - s.address; s.offset < im.size && in < im.size-s.offset {
			return s.offset + in, true
		}
	}
	return 0, false
}
