package unwind

import (
	"debug/elf"
	"io"
)

// section is a part of a file that is read where it is needed. A program's stacks need a few pages
// of a large library's call frame information, which has some MB, and the kernel provides no memory
// for pages that are never written.
type section struct {
	from  io.ReaderAt
	data  []byte
	there []bool // by page
}

// sectionPage is the number of bytes that are read at once.
const sectionPage = 8 << 10

// openSection prepares the reading of a section. It returns false for a section of another form
// than linkers write.
func openSection(s *elf.Section) (*section, bool) {
	if !readable(s) || s.FileSize == 0 || !reaches(s, s.FileSize) {
		return nil, false
	}
	return &section{from: s, data: make([]byte, s.FileSize),
		there: make([]bool, (s.FileSize+sectionPage-1)/sectionPage)}, true
}

// need reads the pages from begin to end that have not been read. A page that cannot be read has
// zeros.
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
