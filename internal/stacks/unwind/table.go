package unwind

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sort"
)

// Bounds of the parts of a file that are read: any program can map any file. The largest that
// distributions have, of LLVM, has 8 MB of call frame information of 160,000 functions, and 13
// common entries.
const (
	maxSection   = 24 << 20 // bytes of a section
	maxEntries   = 1 << 19  // functions of a section without an index: 12 MB
	maxCommon    = 1 << 14
	maxAugmented = 8 // letters that describe what more an entry has
)

// errTooMany says that a section has more functions than any that a compiler made. The functions
// before are good.
var errTooMany = errors.New("call frame information of too many functions")

// errMalformed says that call frame information cannot be read. The functions before are good.
var errMalformed = errors.New("malformed call frame information")

// Table holds the call frame information of an image.
type Table struct {
	reader  reader // reader of the whole section; copied, never moved
	common  []common
	entries []entry // in order of start; none where there is an index
	index   *index
	golang  *goTable
	err     error // what kept entries from being read, where there is no index
}

// common holds the part that the entries of several functions share.
type common struct {
	encoding      byte // form of their functions' addresses
	augmented     bool
	signal        bool // their frames were made by the kernel for a signal handler
	codeUnit      uint64
	dataUnit      int64
	returnAddress uint64
	from, to      int // bounds of their first instructions
}

// entry describes one function.
type entry struct {
	start    uint64
	size     uint32
	common   uint32
	from, to uint32 // bounds of its instructions
}

// Read reads what a file has for unwinding: its .eh_frame section, and a Go program's own table.
// The table is empty where the file has nothing, or too much.
func Read(e *elf.File) *Table {
	t := indexedFrames(e)
	if t == nil {
		t = readFrames(e)
	}
	t.golang = readGo(e)
	return t
}

// readFrames reads all of a file's .eh_frame section.
func readFrames(e *elf.File) *Table {
	data, base := frameSection(e)
	t, err := parse(data, base, e.ByteOrder, e.Class)
	t.err = err
	return t
}

// indexedFrames reads a file's .eh_frame section with its index; nil where it has no index.
func indexedFrames(e *elf.File) *Table {
	x := readIndex(e)
	if x == nil {
		return nil
	}
	section := e.Section(".eh_frame")
	s, ok := openSection(section)
	if !ok {
		return nil
	}
	t := newTable(s.data, section.Addr, e.ByteOrder, e.Class)
	t.index, t.reader.from = x, s
	return t
}

// frameSection returns a file's .eh_frame section, and the address at which it is mapped.
func frameSection(e *elf.File) (data []byte, base uint64) {
	section := e.Section(".eh_frame")
	data, ok := content(section)
	if !ok {
		return nil, 0
	}
	return data, section.Addr
}

// content reads a section. It returns false for a section of another form than linkers write.
func content(s *elf.Section) ([]byte, bool) {
	if !readable(s) {
		return nil, false
	}
	return whole(s, s.FileSize)
}

// readable reports whether a section is as linkers make it: not compressed, and bounded.
func readable(s *elf.Section) bool {
	return s != nil && s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 &&
		s.ReaderAt != nil && s.FileSize <= maxSection
}

// whole reads size bytes. It allocates memory only once the last byte is known to be there, since a
// small file can claim a large section.
func whole(from io.ReaderAt, size uint64) ([]byte, bool) {
	if size == 0 {
		return nil, true
	}
	if !reaches(from, size) {
		return nil, false
	}
	b := make([]byte, size)
	n, _ := from.ReadAt(b, 0)
	return b, n == len(b)
}

// reaches reports whether the last of size bytes is there.
func reaches(from io.ReaderAt, size uint64) bool {
	var last [1]byte
	n, _ := from.ReadAt(last[:], int64(size)-1)
	return n > 0
}

func newTable(data []byte, base uint64, order binary.ByteOrder, class elf.Class) *Table {
	t := &Table{reader: reader{data: data, base: base, order: order, address: 8, end: len(data)}}
	if class == elf.ELFCLASS32 {
		t.reader.address = 4
	}
	return t
}

// empty reports whether the table describes no function of .eh_frame.
func (t *Table) empty() bool { return len(t.entries) == 0 && t.index == nil }

// Size estimates the bytes of memory that the table takes.
func (t *Table) Size() int {
	indexed := 0
	if t.index != nil {
		indexed = len(t.index.data)
	}
	return len(t.reader.data) + indexed + 24*cap(t.entries) + 64*cap(t.common) + t.golang.size()
}

// Need estimates the bytes of memory that a file's table will take before its first use. A section
// that is too large is not read.
func Need(e *elf.File) (bytes int) {
	for _, name := range []string{".eh_frame", ".eh_frame_hdr", ".gopclntab",
		".data.rel.ro.gopclntab"} {
		if s := e.Section(name); s != nil && s.Type != elf.SHT_NOBITS && s.FileSize <= maxSection {
			bytes += int(s.FileSize)
		}
	}
	return bytes
}

// Functions calls yield with the bounds of the functions that the .eh_frame section describes, in
// order, until yield returns false. The error says that the section cannot be read to its end, or
// has too many functions.
func (t *Table) Functions(yield func(start, end uint64) bool) error {
	all, err := t, t.err
	if t.index != nil {
		r := &t.reader
		class := elf.ELFCLASS64
		if r.address == 4 {
			class = elf.ELFCLASS32
		}
		r.need(0, len(r.data))
		all, err = parse(r.data, r.base, r.order, class)
	}
	for i := range all.entries {
		if e := &all.entries[i]; !yield(e.start, e.start+uint64(e.size)) {
			break
		}
	}
	return err
}

// Function returns the bounds of the function that the .eh_frame section describes around an
// address.
func (t *Table) Function(addr uint64) (start, end uint64, ok bool) {
	if t.empty() {
		return 0, 0, false
	}
	e := t.find(addr)
	if e == nil {
		return 0, 0, false
	}
	return e.start, e.start + uint64(e.size), true
}

// find returns the entry of the function that an address lies in; nil where there is none.
func (t *Table) find(addr uint64) *entry {
	if t.index != nil {
		return t.indexed(addr)
	}
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].start > addr })
	if i == 0 || addr-t.entries[i-1].start >= uint64(t.entries[i-1].size) {
		return nil
	}
	return &t.entries[i-1]
}

// parse reads an .eh_frame section that is mapped at base. Entries of length zero, as of functions
// that the linker dropped, are skipped.
func parse(
	data []byte, base uint64, order binary.ByteOrder, class elf.Class,
) (t *Table, err error) {
	t = newTable(data, base, order, class)
	defer func() {
		slices.SortStableFunc(t.entries,
			func(a, b entry) int { return cmp.Compare(a.start, b.start) })
	}()
	r := t.reader
	t.entries = make([]entry, 0, min(records(data, order), maxEntries))
	index := map[int]int{} // index in common, by offset
	for at := 0; at+4 <= len(data); {
		r.at, r.end = at, len(data)
		length := r.fixed(4)
		if length == 0xffffffff {
			length = r.fixed(8)
		}
		if length == 0 || r.bad {
			break // the end
		}
		if length > uint64(len(data)-r.at) {
			return t, errMalformed
		}
		begin, end := r.at, r.at+int(length)
		r.end = end
		switch id := r.fixed(4); {
		case r.bad:
			return t, errMalformed
		case id == 0:
			if len(t.common) == maxCommon {
				return t, errTooMany
			}
			if c, ok := r.common(); ok {
				index[at] = len(t.common)
				t.common = append(t.common, c)
			}
		case id <= uint64(begin):
			if i, ok := index[begin-int(id)]; ok {
				if len(t.entries) == maxEntries {
					return t, errTooMany
				}
				if e, ok := r.entry(&t.common[i]); ok {
					e.common = uint32(i)
					t.entries = append(t.entries, e)
				}
			}
		}
		r.bad = false // a bad entry affects no other: the next one's place is known
		at = end
	}
	return t, nil
}

// records returns an upper bound of the number of records in a section.
func records(data []byte, order binary.ByteOrder) (n int) {
	for at := uint64(0); at+4 <= uint64(len(data)); n++ {
		length := uint64(order.Uint32(data[at:]))
		if length == 0 || length == 0xffffffff {
			break // the end, or more than 4 GB
		}
		at += 4 + length
	}
	return n
}

// common reads a common entry after its id.
func (r *reader) common() (c common, ok bool) {
	version := r.fixed(1)
	begin := r.at
	for n := 0; r.fixed(1) != 0 && !r.bad; n++ {
		r.bad = n == maxAugmented
	}
	if r.bad || version != 1 && version != 3 {
		return c, false
	}
	augmentation := string(r.data[begin : r.at-1])
	c.codeUnit = r.uleb()
	c.dataUnit = r.sleb()
	if version == 1 {
		c.returnAddress = r.fixed(1)
	} else {
		c.returnAddress = r.uleb()
	}
	if augmentation != "" {
		if augmentation[0] != 'z' {
			return c, false // the end of what follows is unknown
		}
		c.augmented = true
		length := r.uleb()
		from := r.skip(length)
		if r.bad {
			return c, false
		}
		after := r.at
		r.at = from
		for _, a := range augmentation[1:] {
			switch a {
			case 'R':
				c.encoding = byte(r.fixed(1))
			case 'L':
				r.fixed(1)
			case 'P':
				r.pointer(byte(r.fixed(1)))
			case 'S':
				c.signal = true
			}
		}
		r.at = after
	}
	c.from, c.to = r.at, r.end
	return c, !r.bad
}

// entry reads a function's entry after its id.
func (r *reader) entry(c *common) (e entry, ok bool) {
	e.start = r.pointer(c.encoding)
	size := r.pointer(c.encoding & 0x0f)
	if c.augmented {
		r.skip(r.uleb())
	}
	if r.bad || size == 0 || size > math.MaxUint32 || e.start+size < e.start {
		return e, false
	}
	e.size, e.from, e.to = uint32(size), uint32(r.at), uint32(r.end)
	return e, true
}
