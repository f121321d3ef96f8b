package table

import (
	"errors"
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// ErrEnds is wrapped by errors about the text of an end_events column.
var ErrEnds = errors.New("not a list of epoch ends")

// appendEnds appends ends in the form of an end_events column: ends with ';' between, '-' for none.
func appendEnds(dst []byte, ends []epochs.End) []byte {
	if len(ends) == 0 {
		return append(dst, '-')
	}
	for i, e := range ends {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = e.Append(dst)
	}
	return dst
}

// parseEnds appends the ends that text lists, which has the form of an end_events column.
func parseEnds(dst []epochs.End, text []byte) ([]epochs.End, error) {
	if string(text) == "-" {
		return dst, nil
	}
	for i := 0; ; i++ {
		e, rest, err := parseEnd(text)
		if err != nil {
			return dst, err
		}
		dst = append(dst, e)
		if len(rest) == 0 {
			return dst, nil
		}
		if rest[0] != ';' {
			return dst, fmt.Errorf("%w: %.40q after %s", ErrEnds, rest, e)
		}
		text = rest[1:]
	}
}

func parseEnd(text []byte) (e epochs.End, rest []byte, err error) {
	e = epochs.End{Thread: epochs.NoThread, By: epochs.NoThread}
	if len(text) == 0 {
		return e, nil, fmt.Errorf("%w: nothing where an event should be", ErrEnds)
	}
	e.Kind, rest = epochs.EndKind(text[0]), text[1:]
	if !e.Kind.Known() {
		return e, nil, fmt.Errorf("%w: no event begins with %q", ErrEnds, text[0])
	}
	if !e.Kind.HasThread() {
		return e, rest, nil
	}
	if e.Thread, rest, err = parseTID(rest); err != nil {
		return e, nil, err
	}
	if e.Kind.HasBy() && len(rest) > 0 && rest[0] == '<' {
		e.By, rest, err = parseTID(rest[1:])
	}
	return e, rest, err
}

func parseTID(text []byte) (tid epochs.TID, rest []byte, err error) {
	n, i := int64(0), 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		if n = n*10 + int64(text[i]-'0'); n > math.MaxInt32 {
			return 0, nil, fmt.Errorf("%w: thread id %.20q is too large", ErrEnds, text)
		}
		i++
	}
	if i == 0 {
		return 0, nil, fmt.Errorf("%w: no thread id at %.20q", ErrEnds, text)
	}
	return epochs.TID(n), text[i:], nil
}
