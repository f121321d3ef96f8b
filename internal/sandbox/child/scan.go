package child

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/units"
)

// errNoMark says that a line is no mark.
var errNoMark = errors.New("no mark: it is begin NAME or end NAME, and may have a time in ns")

// parseMark reads a line without its end.
func parseMark(line []byte) (m instrumented.Mark, err error) {
	if len(line) > instrumented.MaxMark {
		return m, errNoMark
	}
	fields := bytes.Fields(line)
	if len(fields) != 2 && len(fields) != 3 {
		return m, errNoMark
	}
	switch string(fields[0]) {
	case instrumented.Begin:
	case instrumented.End:
		m.End = true
	default:
		return m, errNoMark
	}
	m.Name = string(fields[1])
	if err := instrumented.CheckRegion(m.Name); err != nil {
		return instrumented.Mark{}, err
	}
	if len(fields) == 3 {
		at, err := strconv.ParseInt(string(fields[2]), 10, 64)
		if err != nil || at <= 0 {
			return instrumented.Mark{}, errNoMark
		}
		m.At = units.Instant(at)
	}
	return m, nil
}

// scanner makes marks of pieces of text that end anywhere. Its zero value is ready.
type scanner struct {
	rest []byte // beginning of a line whose end has not come
	long bool   // the line that has not ended is too long for a mark
}

// scan hands over the marks of another piece, and returns the number of lines that were none.
func (s *scanner) scan(b []byte, take func(instrumented.Mark)) (bad int) {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		line := b[:i]
		b = b[i+1:]
		if len(s.rest) > 0 {
			line = append(s.rest, line[:min(len(line), instrumented.MaxMark+1)]...)
		}
		m, err := parseMark(line)
		if s.long || err != nil {
			bad++
		} else {
			take(m)
		}
		s.rest, s.long = s.rest[:0], false
	}
	if len(s.rest)+len(b) > instrumented.MaxMark {
		s.rest, s.long = s.rest[:0], true
		return bad
	}
	s.rest = append(s.rest, b...)
	return bad
}
