package unwind

import (
	"debug/elf"
	"io"
)

// section is a part of a file that is read where it is needed. Of a large library's call frame
// information, some MB, a program's stacks need a few pages, and memory that nothing is written to
// is not taken from the kernel.
type section struct {
	from  io.ReaderAt
	data  []byte
	there []bool // by page
}

// sectionPage is the number of bytes that are read at once.
const sectionPage = 8 << 10

// openSection prepares the reading of a section as linkers make it; false where it has none.
func openSection(s *elf.Section) (*section, bool) {
	if !readable(s) || s.FileSize == 0 || !reaches(s, s.FileSize) {
		return nil, false
	}
	return &section{from: s, data: make([]byte, s.FileSize),
		there: make([]bool, (s.FileSize+sectionPage-1)/sectionPage)}, true
}

// need reads the pages from begin to end that have not been read. One that cannot be has zeros.
func (s *section) need(begin, end int) {
	for page := begin / sectionPage; page*sectionPage < end; page++ {
		if s.there[page] {
			continue
		}
		s.there[page] = true
		at := page * sectionPage
		_, _ = s.from.ReadAt(s.data[at:min(at+sectionPage, len(s.data))], int64(at))
	}
}
