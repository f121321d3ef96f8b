package input

import (
	"bufio"
	"compress/gzip"
	"io"
)

// Unpacked reads what a file contains: of one that gzip has packed, what was packed. The reader
// bounds what it takes; a small file can unpack to any length.
func Unpacked(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<18)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" { // a short file is none of gzip's
		return in, nil
	}
	return gzip.NewReader(in)
}
