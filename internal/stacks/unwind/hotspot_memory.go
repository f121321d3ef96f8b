package unwind

import (
	"bytes"
	"encoding/binary"
	"io"
)

const (
	pageSize = 4096
	maxPages = 4096 // that are kept while a machine's description is read
	maxText  = 256
	// while a stack is walked: 6 ms. A stack of 512 frames of which nothing is known yet takes some
	// 3000; what was inlined is read with the first half only
	maxReads = 8192
)

// memory reads a process's memory; while pages is not nil, each page once.
type memory struct {
	from  io.ReaderAt
	pages map[uint64][]byte
	reads int // while pages is nil: that are left
}

// read fills b or says that it cannot be.
func (m *memory) read(b []byte, addr uint64) bool {
	if addr+uint64(len(b)) < addr || addr+uint64(len(b)) > 1<<63-1 {
		return false
	}
	if m.pages == nil {
		if m.reads <= 0 {
			return false
		}
		m.reads--
		n, _ := m.from.ReadAt(b, int64(addr)) // less at the end of a mapping
		return n == len(b)
	}
	for len(b) > 0 {
		at := addr % pageSize
		page, ok := m.pages[addr-at]
		if !ok {
			if len(m.pages) >= maxPages {
				return false
			}
			page = make([]byte, pageSize)
			if n, _ := m.from.ReadAt(page, int64(addr-at)); n < pageSize {
				page = nil
			}
			m.pages[addr-at] = page
		}
		if page == nil {
			return false
		}
		n := copy(b, page[at:])
		b, addr = b[n:], addr+uint64(n)
	}
	return true
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

// text reads a string that ends with a zero, "" where there is none.
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
