package epochs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrEnds is wrapped by errors about the text of an end_events column.
var ErrEnds = errors.New("not a list of epoch ends")

// String returns e as an end_events column has it, such as "W3" or "A2<0".
func (e End) String() string { return string(e.append(nil)) }

func (e End) append(dst []byte) []byte {
	dst = append(dst, byte(e.Kind))
	if !e.Kind.hasThread() {
		return dst
	}
	dst = strconv.AppendInt(dst, int64(e.Thread), 10)
	if e.Kind.hasBy() && e.By != NoThread {
		dst = append(dst, '<')
		dst = strconv.AppendInt(dst, int64(e.By), 10)
	}
	return dst
}

// AppendEnds appends ends in the form of an end_events column: ends with ';' between, '-' for none.
func AppendEnds(dst []byte, ends []End) []byte {
	if len(ends) == 0 {
		return append(dst, '-')
	}
	for i, e := range ends {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = e.append(dst)
	}
	return dst
}

// ParseEnds appends the ends that text lists, which has the form of an end_events column.
func ParseEnds(dst []End, text []byte) ([]End, error) {
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

func parseEnd(text []byte) (e End, rest []byte, err error) {
	e = End{Thread: NoThread, By: NoThread}
	if len(text) == 0 {
		return e, nil, fmt.Errorf("%w: nothing where an event should be", ErrEnds)
	}
	e.Kind, rest = EndKind(text[0]), text[1:]
	if !e.Kind.known() {
		return e, nil, fmt.Errorf("%w: no event begins with %q", ErrEnds, text[0])
	}
	if !e.Kind.hasThread() {
		return e, rest, nil
	}
	if e.Thread, rest, err = parseTID(rest); err != nil {
		return e, nil, err
	}
	if e.Kind.hasBy() && len(rest) > 0 && rest[0] == '<' {
		e.By, rest, err = parseTID(rest[1:])
	}
	return e, rest, err
}

func parseTID(text []byte) (tid TID, rest []byte, err error) {
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
	return TID(n), text[i:], nil
}

func (k EndKind) known() bool {
	switch k {
	case EndSleep, EndOtherSleep, EndExit, EndWake, EndStart, EndPreempt, EndResume, EndCut, EndRun,
		EndPhase:
		return true
	}
	return false
}

// hasThread says whether an event of the kind is one of a thread.
func (k EndKind) hasThread() bool { return k != EndCut && k != EndRun && k != EndPhase }

// hasBy says whether an event of the kind can be caused by another thread.
func (k EndKind) hasBy() bool { return k == EndWake || k == EndStart }
