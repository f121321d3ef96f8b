package printable

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a time for people, to three digits or so: "2.3 ms", "3.04 s", "1 min 18 s", "1 h".
func Duration(d time.Duration) string {
	switch {
	case d == 0:
		return "0 s"
	case d < 0:
		return "-" + Duration(-max(d, -1<<62))
	case d >= time.Hour-time.Minute/2:
		return twoUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	case d >= time.Minute-time.Second/20:
		return twoUnits(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	}
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.of-u.of/2000 { // a smaller duration would round to less than 1 of the unit
			return threeDigits(float64(d)/float64(u.of)) + " " + u.name
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// Seconds is a number of ns in s, to the millisecond, for a column: "3.040 s".
func Seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

// Given returns a time as a command line or a configuration has it: "5ms", "1m30s", "8760h".
func Given(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// threeDigits writes a number from 1 to 999.
func threeDigits(v float64) string {
	decimals := 0
	switch {
	case v < 9.995:
		decimals = 2
	case v < 99.95:
		decimals = 1
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	rounded, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64) // without zeros at its end
}

// twoUnits writes a time in a unit and a smaller one.
func twoUnits(d, large time.Duration, name string, small time.Duration, rest string) string {
	s := fmt.Sprintf("%d %s", d/large, name)
	if d %= large; d > 0 {
		s += fmt.Sprintf(" %d %s", d/small, rest)
	}
	return s
}
