package safefile

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
)

// gzipMagic begins every file of gzip's (RFC 1952, section 2.3.1).
const gzipMagic = "\x1f\x8b"

// Unpacked reads what a file contains: if gzip has packed it, what was packed. The reader bounds
// what it takes; a small file can unpack to any length.
func Unpacked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<18)
	if begin, _ := b.Peek(len(gzipMagic)); string(begin) != gzipMagic {
		return b, nil // an error of reading comes again
	}
	return gzip.NewReader(b)
}

// ReadUnpacked reads a file that the user names, which gzip may have packed, with a parser. A file
// with more than so many bytes of text is refused with errTooLong.
func ReadUnpacked[T any](
	path string, most int64, parse func(io.Reader) (T, error),
) (none T, err error) {
	f, err := Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	text, err := Unpacked(f)
	if err != nil {
		return none, err
	}
	limited := &io.LimitedReader{R: text, N: most + 1}
	t, err := parse(limited)
	if limited.N <= 0 {
		return none, fmt.Errorf("%w: more than %d bytes", errTooLong, most)
	}
	return t, err
}
