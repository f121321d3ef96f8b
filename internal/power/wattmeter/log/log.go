// Package log reads the log of a meter that another program writes. Anybody may have written it: a
// run has it read by a process without rights.
package log

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// mostBytes bounds a log.
const mostBytes = 1 << 26

// ErrFew says that the log has fewer than two readings so far.
var ErrFew = errors.New("the meter's log has fewer than two readings (lines of a time and a " +
	"power in watts)")

// Read reads a meter's log: lines of a time and a power in watts. Times are seconds since 1970 or
// RFC 3339, and never go back. The first line may have names. A last line that is not whole yet is
// left out.
func Read(r io.Reader) ([]wattmeter.Reading, error) {
	limited := &io.LimitedReader{R: r, N: mostBytes}
	in := csv.NewReader(limited)
	in.ReuseRecord, in.Comment, in.TrimLeadingSpace, in.FieldsPerRecord = true, '#', true, -1
	var out []wattmeter.Reading
	var bad error // error of the line before
	for n := 1; ; n++ {
		line, err := in.Read()
		if limited.N <= 0 {
			return nil, fmt.Errorf("the meter's log has more than %d bytes", mostBytes)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if bad != nil && n > 2 {
			return nil, bad
		}
		if err == nil {
			var s wattmeter.Reading
			s, err = reading(line)
			if err == nil && len(out) > 0 && s.At < out[len(out)-1].At {
				err = errors.New("its time lies before that of the line above")
			}
			if err == nil {
				out = append(out, s)
			}
		}
		if bad = nil; err != nil {
			bad = fmt.Errorf("line %d of the meter's log: %w", n, err)
		}
		if len(out) > wattmeter.MostReadings {
			return nil, fmt.Errorf("more than %d readings in the meter's log",
				wattmeter.MostReadings)
		}
	}
	if len(out) < 2 {
		return nil, ErrFew
	}
	return out, nil
}

func reading(line []string) (s wattmeter.Reading, err error) {
	if len(line) < 2 {
		return s, errors.New("no time and power")
	}
	text := strings.TrimSpace(line[0])
	if s.At, err = finite(text); err != nil {
		t, e := time.Parse(time.RFC3339Nano, text)
		if e != nil {
			return s, fmt.Errorf("%.40q is no time: give seconds since 1970 or RFC 3339", text)
		}
		s.At, err = float64(t.UnixNano())/1e9, nil
	}
	if s.Power, err = finite(strings.TrimSpace(line[1])); err != nil || s.Power < 0 ||
		s.Power > wattmeter.MostWatts {
		return s, fmt.Errorf("%.40q is no power in watts", line[1])
	}
	return s, nil
}

// finite reads a number that is neither infinite nor NaN.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}
