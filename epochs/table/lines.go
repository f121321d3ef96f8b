package table

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lines reads the lines of a table's text, compressed or not, in bounded memory.
type lines struct {
	src    *bufio.Reader
	gzip   bool
	long   []byte // a line that did not fit the buffer of src
	number int    // of the last line read
}

const lineBuffer = 64 << 10

// newLines finds out from src's first bytes whether it is compressed.
func newLines(src io.Reader, name string) (*lines, error) {
	raw := bufio.NewReaderSize(src, lineBuffer)
	magic, err := raw.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		if strings.HasSuffix(name, ".gz") && len(magic) > 0 {
			return nil, fmt.Errorf("%w: it is not compressed, though its name ends in .gz",
				ErrCompression)
		}
		return &lines{src: raw}, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, gzipError(err)
	}
	return &lines{src: bufio.NewReaderSize(z, lineBuffer), gzip: true}, nil
}

// next returns the next line without its end, valid until the next call; io.EOF after the last one.
// An ErrTorn or ErrTruncated comes with the text of the torn line.
func (l *lines) next() ([]byte, error) {
	line, err := l.src.ReadSlice('\n')
	l.number++
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long) > MaxLine {
				return nil, fmt.Errorf("%w: more than %d bytes", ErrLongLine, MaxLine)
			}
			line, err = l.src.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	switch {
	case err == nil && len(line)-1 > MaxLine:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLongLine, MaxLine)
	case err == nil:
		line = line[:len(line)-1]
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		return line, nil
	case err == io.EOF && len(line) > 0:
		return line, ErrTorn
	case err == io.EOF:
		l.number--
		return nil, io.EOF
	case l.gzip:
		return line, gzipError(err)
	default:
		return nil, err
	}
}

func gzipError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return ErrTruncated
	}
	return fmt.Errorf("%w: %w", ErrCompression, err)
}
