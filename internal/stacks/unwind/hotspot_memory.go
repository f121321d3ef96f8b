package unwind

import (
	"bytes"
	"encoding/binary"
	"io"
)

const (
	pageSize = 4096
	maxPages = 4096 // pages that are kept while a machine's description is read
	maxText  = 256
	// reads while a stack is walked: 6 ms. A stack of 512 frames of which nothing is known yet
	// takes some 3000; what was inlined is read with the first half only
	maxReads = 8192
)

// recentPages is the number of pages that are kept while a stack is walked, a power of two. Reading
// a page takes little longer than reading a word, and what is read of a method lies close together.
const recentPages = 16

// memory reads a process's memory. While pages is not nil, it reads each page once.
type memory struct {
	from  io.ReaderAt
	pages map[uint64][]byte
	reads int // reads that are left, while pages is nil
	// page that was read last, while pages is not nil
	last   []byte
	lastAt uint64
	// pages that were read since forget, by number, while pages is nil
	recent [recentPages]recentPage
}

// recentPage is a page as it was when it was read.
type recentPage struct {
	at    uint64
	known bool
	bytes []byte // shared by all pages that take this place
}

// forget drops the recent pages, so that everything is read anew.
func (m *memory) forget() {
	for i := range m.recent {
		m.recent[i].known = false
	}
}

// read fills b with the memory at an address, and returns false where it cannot.
func (m *memory) read(b []byte, addr uint64) bool {
	if addr+uint64(len(b)) < addr || addr+uint64(len(b)) > 1<<63-1 {
		return false
	}
	for len(b) > 0 {
		var page []byte
		if m.pages != nil {
			page = m.page(addr)
		} else {
			page = m.recently(addr)
		}
		if page == nil && m.pages == nil && m.reads > 0 {
			m.reads--
			n, _ := m.from.ReadAt(b, int64(addr)) // the page cannot be read as a whole
			return n == len(b)
		}
		if page == nil {
			return false
		}
		n := copy(b, page)
		b, addr = b[n:], addr+uint64(n)
	}
	return true
}

// recently returns the memory from an address to the end of its page, while pages is nil. It
// returns nil where the page cannot be read.
func (m *memory) recently(addr uint64) []byte {
	at := addr % pageSize
	p := &m.recent[addr/pageSize%recentPages]
	if p.known && p.at == addr-at {
		return p.bytes[at:]
	}
	if m.reads <= 0 {
		return nil
	}
	m.reads--
	if p.bytes == nil {
		p.bytes = make([]byte, pageSize)
	}
	n, _ := m.from.ReadAt(p.bytes, int64(addr-at))
	if p.at, p.known = addr-at, n == pageSize; !p.known {
		return nil
	}
	return p.bytes[at:]
}

// page returns the memory from an address to the end of its page, while pages is not nil. It
// returns nil where the page cannot be read, or maxPages have been.
func (m *memory) page(addr uint64) []byte {
	at := addr % pageSize
	if m.last != nil && m.lastAt == addr-at {
		return m.last[at:]
	}
	page, ok := m.pages[addr-at]
	if !ok {
		if len(m.pages) >= maxPages {
			return nil
		}
		page = make([]byte, pageSize)
		if n, _ := m.from.ReadAt(page, int64(addr-at)); n < pageSize {
			page = nil
		}
		m.pages[addr-at] = page
	}
	if page == nil {
		return nil
	}
	m.last, m.lastAt = page, addr-at
	return page[at:]
}

func (m *memory) word(addr uint64) (uint64, bool) {
	var b [8]byte
	ok := m.read(b[:], addr)
	return binary.LittleEndian.Uint64(b[:]), ok
}

// integer reads a signed number of size bytes.
func (m *memory) integer(addr uint64, size int) (int64, bool) {
	var b [8]byte
	ok := m.read(b[:size], addr)
	switch size {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b[:]))), ok
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b[:]))), ok
	}
	return int64(binary.LittleEndian.Uint64(b[:])), ok
}

// text reads a string that ends with a zero. It returns "" where there is none of at most maxText
// bytes.
func (m *memory) text(addr uint64) string {
	var b [maxText]byte
	for n := 0; n < maxText; {
		some := b[n:min(maxText, n+32)]
		if some = some[:min(len(some), int(pageSize-(addr+uint64(n))%pageSize))]; addr == 0 ||
			!m.read(some, addr+uint64(n)) {
			return ""
		}
		if end := bytes.IndexByte(some, 0); end >= 0 {
			return string(b[:n+end])
		}
		n += len(some)
	}
	return ""
}
