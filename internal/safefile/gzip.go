package safefile

import (
	"bufio"
	"io"

	"github.com/ebb-energy/ebb/internal/packed"
)

// Unpacked reads what a file contains: if gzip has packed it, what was packed. The reader bounds
// what it takes; a small file can unpack to any length.
func Unpacked(r io.Reader) (io.Reader, error) {
	unpacked, _, err := packed.Reader(bufio.NewReaderSize(r, 1<<18))
	return unpacked, err
}
