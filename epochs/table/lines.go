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
	number int    // number of the last line read
}

const lineBuffer = 64 << 10

// newLines makes the lines of src. It finds out from the first bytes whether src is compressed.
func newLines(src io.Reader, name string) (*lines, error) {
	raw := bufio.NewReaderSize(src, lineBuffer)
	// An error of reading comes again at the first line.
	if begin, _ := raw.Peek(2); string(begin) == "\x1f\x8b" { // RFC 1952, section 2.3.1
		text, err := gzip.NewReader(raw)
		if err != nil {
			return nil, gzipError(err)
		}
		return &lines{src: bufio.NewReaderSize(text, lineBuffer), gzip: true}, nil
	}
	if strings.HasSuffix(name, ".gz") && raw.Buffered() > 0 {
		return nil, fmt.Errorf("%w: it is not compressed, though its name ends in .gz",
			ErrCompression)
	}
	return &lines{src: raw}, nil
}

// next returns the next line without its end, valid until the next call; io.EOF after the last one.
// An ErrTorn or ErrTruncated comes with the text of the torn line.
func (l *lines) next() ([]byte, error) {
	line, err := l.src.ReadSlice('\n')
	l.number++
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long) > maxLine {
				return nil, fmt.Errorf("%w: more than %d bytes", ErrLongLine, maxLine)
			}
			line, err = l.src.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	switch {
	case err == nil && len(line)-1 > maxLine:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLongLine, maxLine)
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
