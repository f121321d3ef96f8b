package perfevent

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// errEncoding says that the kernel's description of an event makes no sense.
var errEncoding = errors.New("no description of an event")

// config holds the three words that select a PMU's event: config, config1 and config2 of
// perf_event_attr.
type config [3]uint64

// run is a stretch of a field's bits in one of the words.
type run struct{ first, last int }

// field is the place of a named part of an event, its low bits first.
type field struct {
	word int
	runs []run
}

// parseField reads a file of a PMU's format directory, such as "config:0-7" or "config1:8-15,24-27"
// or "config:18".
func parseField(text string) (f field, err error) {
	word, list, ok := strings.Cut(text, ":")
	switch {
	case !ok:
		return f, fmt.Errorf("%w: the field %.40q", errEncoding, text)
	case word == "config":
	case word == "config1":
		f.word = 1
	case word == "config2":
		f.word = 2
	default:
		return f, fmt.Errorf("%w: the field %.40q", errEncoding, text)
	}
	var taken uint64
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRun := strings.Cut(part, "-")
		if !isRun {
			last = first
		}
		lo, err1 := strconv.ParseUint(first, 10, 6)
		hi, err2 := strconv.ParseUint(last, 10, 6)
		if err1 != nil || err2 != nil || lo > hi {
			return field{}, fmt.Errorf("%w: the field %.40q", errEncoding, text)
		}
		for b := lo; b <= hi; b++ {
			if taken&(1<<b) != 0 {
				return field{}, fmt.Errorf("%w: the field %.40q has a bit twice", errEncoding, text)
			}
			taken |= 1 << b
		}
		f.runs = append(f.runs, run{int(lo), int(hi)})
	}
	return f, nil
}

// put writes a value into c. A value that has more bits than the field is an error.
func (f field) put(c *config, value uint64) error {
	rest := value
	for _, r := range f.runs {
		n := r.last - r.first + 1
		part := rest
		if n < 64 {
			part &= 1<<n - 1
			rest >>= n
		} else {
			rest = 0
		}
		c[f.word] |= part << r.first
	}
	if rest != 0 {
		return fmt.Errorf("%w: %#x does not fit the field", errEncoding, value)
	}
	return nil
}

// parseEvent reads an event's terms, such as "event=0x04,umask=0x03". Format returns the place of a
// term; a term without a value is 1. A term that the user would have to fill in ("event=?") is an
// error.
func parseEvent(text string, format func(name string) (field, error)) (c config, err error) {
	for term := range strings.SplitSeq(text, ",") {
		name, number, given := strings.Cut(term, "=")
		value := uint64(1)
		if given {
			if value, err = strconv.ParseUint(number, 0, 64); err != nil {
				return config{}, fmt.Errorf("%w: the term %.40q", errEncoding, term)
			}
		}
		f, err := format(name)
		if err != nil {
			return config{}, err
		}
		if err := f.put(&c, value); err != nil {
			return config{}, fmt.Errorf("the term %.40q: %w", term, err)
		}
	}
	return c, nil
}

// lineBytes is the number of bytes that one request to memory moves.
const lineBytes = 64

// linesPerCount returns the number of lines of a count, by an event's scale and unit. Without
// either a count is a line.
func linesPerCount(scale, unit string) (float64, error) {
	if scale == "" && unit == "" {
		return 1, nil
	}
	bytes := map[string]float64{"B": 1, "Bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
		"KB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
	factor, err := strconv.ParseFloat(scale, 64)
	lines := factor * bytes / lineBytes
	if err != nil || !(lines > 0) || math.IsInf(lines, 0) || lines > 1<<20 {
		return 0, fmt.Errorf("%w: the scale %.40q and unit %.40q", errEncoding, scale, unit)
	}
	if whole := math.Round(lines); whole > 0 && math.Abs(lines-whole) < 1e-6*whole {
		return whole, nil // 6.103515625e-5 MiB is a line
	}
	return lines, nil
}
