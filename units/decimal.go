package units

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// unit is a written unit, with its power of ten in the type's base unit.
type unit struct {
	symbol string
	exp    int
}

// quantity describes the text form of a type.
type quantity struct {
	name  string // "a frequency"
	such  string // an example
	units []unit // descending; v is written in the first unit that it reaches
	none  string // unit in which 0 is written for people
}

// signs are units as people write them, where their symbol is written without special letters.
var signs = map[string]string{"uJ": "µJ", "uW": "µW"}

// others are further spellings of units that are read, with either of Unicode's letters for micro.
var others = map[string]string{"µJ": "uJ", "μJ": "uJ", "µW": "uW", "μW": "uW"}

// split divides a text into a decimal number and the exponent of its unit.
func (q *quantity) split(text string) (number string, exp int, err error) {
	s := strings.TrimSpace(text)
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' ||
		end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	number, symbol := s[:end], strings.TrimSpace(s[end:])
	if !isDecimal(number) {
		return "", 0, q.errorf("%s is not %s", shown(text), q.name)
	}
	if symbol == "" {
		return "", 0, q.errorf("%s has no unit: %s needs one", shown(text), q.name)
	}
	if plain, ok := others[symbol]; ok {
		symbol = plain
	}
	for _, u := range q.units {
		if u.symbol == symbol {
			return number, u.exp, nil
		}
	}
	return "", 0, q.errorf("%s is no unit of %s", shown(symbol), q.name)
}

func (q *quantity) errorf(format string, args ...any) error {
	return fmt.Errorf(format+", such as %s", append(args, q.such)...)
}

// isDecimal reports whether s is a number with at most one point, which has digits on both sides.
func isDecimal(s string) bool {
	whole, frac, point := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	return isDigits(whole) && (!point || isDigits(frac))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// shown quotes a text for an error, cut to a length that a sentence can bear.
func shown(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return strconv.Quote(s)
}

// integer reads a whole number of the base unit.
func (q *quantity) integer(text string) (int64, error) {
	number, exp, err := q.split(text)
	if err != nil {
		return 0, err
	}
	whole, frac, _ := strings.Cut(number, ".")
	frac = strings.TrimRight(frac, "0")
	if len(frac) > exp {
		return 0, fmt.Errorf("%s is finer than 1 %s", shown(text), q.units[len(q.units)-1].symbol)
	}
	v, err := strconv.ParseInt(whole+frac+strings.Repeat("0", exp-len(frac)), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large for %s", shown(text), q.name)
	}
	return v, err
}

// float reads a number of the base unit, to the nearest.
func (q *quantity) float(text string) (float64, error) {
	number, exp, err := q.split(text)
	if err != nil {
		return 0, err
	}
	// The decimal reader applies the unit's power of ten, so there is no second rounding.
	v, err := strconv.ParseFloat(number+"e"+strconv.Itoa(exp), 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large for %s", shown(text), q.name)
	}
	return v, err
}

// show writes v as format does, but for people: with a blank before the unit, and with its sign.
func (q *quantity) show(v int64) string {
	number, symbol := q.write(v)
	if v == 0 {
		symbol = q.none
	}
	if sign, ok := signs[symbol]; ok {
		symbol = sign
	}
	return number + " " + symbol
}

// format writes v base units in the largest unit that v reaches, exactly.
func (q *quantity) format(v int64) string {
	number, symbol := q.write(v)
	return number + symbol
}

func (q *quantity) write(v int64) (number, symbol string) {
	magnitude, sign := uint64(v), ""
	if v < 0 {
		magnitude, sign = -magnitude, "-"
	}
	digits := strconv.FormatUint(magnitude, 10)
	u := q.units[len(q.units)-1]
	for _, x := range q.units {
		if len(digits) > x.exp && magnitude > 0 {
			u = x
			break
		}
	}
	if point := len(digits) - u.exp; u.exp > 0 {
		digits = strings.TrimRight(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
	}
	return sign + digits, u.symbol
}

// roundDigits rounds v to n significant decimal digits, halves away from zero. It leaves v alone
// where the rounded value would not fit.
func roundDigits(v int64, n int) int64 {
	magnitude := uint64(v)
	if v < 0 {
		magnitude = -magnitude
	}
	step := uint64(1)
	for drop := len(strconv.FormatUint(magnitude, 10)) - n; drop > 0; drop-- {
		step *= 10
	}
	rounded := (magnitude + step/2) / step * step
	if rounded > 1<<63-1 {
		return v
	}
	if v < 0 {
		return -int64(rounded)
	}
	return int64(rounded)
}
