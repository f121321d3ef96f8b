package unwind

import (
	"debug/elf"
	"encoding/binary"
	"sort"
)

// index is the table that linkers make for searches in an .eh_frame section (.eh_frame_hdr; Linux
// Standard Base, Exception Frames): for each function, in order, the places of its beginning and of
// its entry. With it, entries are read when they are needed: all those of a large library take 10
// ms, and few are ever used.
type index struct {
	data  []byte // pairs of places, from base
	base  uint64
	order binary.ByteOrder
	known map[int]*entry // by number; nil: the entry cannot be read
	at    map[int]uint32 // index in common, by the common entry's offset
}

const (
	pair         = 8
	asOffsets    = 0x3b // DW_EH_PE_datarel | DW_EH_PE_sdata4
	asCount      = 0x03 // DW_EH_PE_udata4
	indexHeader  = 12
	fourBytes    = 0x03
	signedToo    = 0x08
	indexVersion = 1
)

// readIndex reads a file's index. It returns nil where the file has none of the form that linkers
// write.
func readIndex(e *elf.File) *index {
	section := e.Section(".eh_frame_hdr")
	data, ok := content(section)
	if !ok {
		return nil
	}
	return parseIndex(data, section.Addr, e.ByteOrder)
}

// parseIndex reads an .eh_frame_hdr section that is mapped at base; nil where it has another form.
func parseIndex(data []byte, base uint64, order binary.ByteOrder) *index {
	if len(data) < indexHeader {
		return nil
	}
	if data[0] != indexVersion || data[1]&^signedToo&0x0f != fourBytes || data[2] != asCount ||
		data[3] != asOffsets {
		return nil
	}
	count := uint64(order.Uint32(data[8:]))
	if count == 0 || count > uint64(len(data)-indexHeader)/pair {
		return nil
	}
	x := &index{data[indexHeader:][:count*pair], base, order, map[int]*entry{}, map[int]uint32{}}
	last := uint64(0)
	for i := range x.len() {
		start := x.start(i)
		if start < last {
			return nil
		}
		last = start
	}
	return x
}

func (x *index) len() int { return len(x.data) / pair }

func (x *index) place(at int) uint64 { return x.base + uint64(int32(x.order.Uint32(x.data[at:]))) }

// start returns the address at which function i begins.
func (x *index) start(i int) uint64 { return x.place(i * pair) }

// indexed returns the entry of the function that an address lies in, by the index; nil where there
// is none.
func (t *Table) indexed(addr uint64) *entry {
	x := t.index
	i := sort.Search(x.len(), func(i int) bool { return x.start(i) > addr }) - 1
	for last := i; i >= 0 && i > last-maxEmpty; i-- {
		e, ok := x.known[i]
		if !ok {
			// no program has so many functions on its stacks: the file lies
			if len(x.known) >= maxKnown || len(t.common) >= maxCommon {
				clear(x.known)
				clear(x.at)
				t.common = t.common[:0]
			}
			if found, ok := t.entryAt(x.place(i*pair+4) - t.reader.base); ok {
				e = &found
			}
			x.known[i] = e
		}
		if e == nil {
			continue
		}
		if addr < e.start || addr-e.start >= uint64(e.size) {
			return nil
		}
		return e
	}
	return nil
}

// maxKnown bounds the entries that are kept; they take 6 MB.
const maxKnown = 1 << 16

// maxEmpty bounds the entries that are skipped at one place because they cannot be read or describe
// no code.
const maxEmpty = 4

// entryAt reads the entry at an offset of the section, and the common entry that it names.
func (t *Table) entryAt(offset uint64) (e entry, ok bool) {
	r := t.reader
	begin, id, ok := r.record(offset)
	if !ok || id == 0 || id > uint64(begin) {
		return e, false
	}
	place := begin - int(id)
	n, ok := t.index.at[place]
	if !ok {
		c := t.reader
		if _, id, ok := c.record(uint64(place)); !ok || id != 0 {
			return e, false
		}
		shared, ok := c.common()
		if !ok {
			return e, false
		}
		n = uint32(len(t.common))
		t.index.at[place] = n
		t.common = append(t.common, shared)
	}
	if e, ok = r.entry(&t.common[n]); ok {
		e.common = n
	}
	return e, ok
}

// record moves the reader behind the id of the record at an offset. It returns the id and the id's
// place. The reader then ends where the record does.
func (r *reader) record(offset uint64) (begin int, id uint64, ok bool) {
	if offset > uint64(len(r.data)) {
		return 0, 0, false
	}
	r.at, r.end = int(offset), len(r.data)
	r.need(r.at, r.at+recordHeader)
	length := r.fixed(4)
	if length == 0xffffffff {
		length = r.fixed(8)
	}
	if length == 0 || r.bad || length > uint64(len(r.data)-r.at) {
		return 0, 0, false
	}
	begin = r.at
	r.end = begin + int(length)
	r.need(begin, r.end)
	id = r.fixed(4)
	return begin, id, !r.bad
}

// recordHeader is the size of the longest length field of a record, in bytes.
const recordHeader = 12
