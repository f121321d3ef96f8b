// Package packed recognises what gzip has packed.
package packed

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// magic is how every file of gzip's begins (RFC 1952, section 2.3.1).
const magic = "\x1f\x8b"

// Reader reads what src contains: if gzip has packed it, what was packed. It reports whether that
// is so; an error beside true is one of gzip's. The reader bounds what it takes, because a small
// file can unpack to any length.
func Reader(src *bufio.Reader) (r io.Reader, packed bool, err error) {
	begin, err := src.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if string(begin) != magic { // nor is a shorter file one of gzip's
		return src, false, nil
	}
	z, err := gzip.NewReader(src)
	if err != nil {
		return nil, true, err
	}
	return z, true, nil
}
