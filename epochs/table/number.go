package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Reasons why a cell is no number of a table.
var (
	ErrNotNumber = errors.New("not a number")
	ErrNotWhole  = errors.New("not a whole number")
	ErrNegative  = errors.New("negative")
	ErrRange     = errors.New("number too large")
)

// whole reads a number of a table.
func whole(text []byte) (int64, error) {
	if len(text) == 0 || len(text) > 18 {
		return wholeSlow(text)
	}
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return wholeSlow(text)
		}
		n = n*10 + int64(c-'0')
	}
	return n, nil
}

// wholeSlow reads long numbers, and returns the fault of other text.
func wholeSlow(text []byte) (int64, error) {
	s := string(text[:min(len(text), 400)])
	n, err := strconv.ParseInt(s, 10, 64)
	switch f, ferr := strconv.ParseFloat(s, 64); {
	case s == "":
		return 0, fmt.Errorf("%w: nothing there", ErrNotNumber)
	case err == nil && n >= 0 && s[0] != '+' && s[0] != '-':
		return n, nil
	case math.IsNaN(f) || math.IsInf(f, 0) && !errors.Is(ferr, strconv.ErrRange):
		return 0, fmt.Errorf("%w: %.40q", ErrNotNumber, s)
	case errors.Is(err, strconv.ErrRange) || errors.Is(ferr, strconv.ErrRange):
		return 0, fmt.Errorf("%w: %.40q", ErrRange, s)
	case ferr != nil:
		return 0, fmt.Errorf("%w: %.40q", ErrNotNumber, s)
	case s[0] == '-':
		return 0, fmt.Errorf("%w: %.40q", ErrNegative, s)
	default:
		return 0, fmt.Errorf("%w: %.40q", ErrNotWhole, s)
	}
}

// isText reports whether a cell is not even meant as a number.
func isText(cell []byte) bool {
	s := strings.ToLower(strings.TrimLeft(string(cell[:min(len(cell), 8)]), "+-."))
	if strings.HasPrefix(s, "nan") || strings.HasPrefix(s, "inf") {
		return false
	}
	return s == "" || s[0] < '0' || s[0] > '9'
}

// scaled reads a JSON number that is not negative times 10^digits, exactly unless it has an
// exponent. Digits beyond these are cut off.
func scaled(v json.RawMessage, digits int) (int64, error) {
	var num json.Number
	if len(v) == 0 || v[0] == '"' || json.Unmarshal(v, &num) != nil || num == "" {
		return 0, fmt.Errorf("%w: %.40s", ErrNotNumber, v)
	}
	s := num.String()
	if s[0] == '-' {
		return 0, fmt.Errorf("%w: %.40s", ErrNegative, s)
	}
	if strings.ContainsAny(s, "eE") {
		f, err := num.Float64()
		f = math.Round(f * math.Pow10(digits))
		if err != nil || f >= math.MaxInt64 {
			return 0, fmt.Errorf("%w: %.40s", ErrRange, s)
		}
		return int64(f), nil
	}
	before, after, _ := strings.Cut(s, ".")
	after = (after + strings.Repeat("0", digits))[:digits]
	n, err := strconv.ParseInt(before+after, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %.40s", ErrRange, s)
	}
	return n, nil
}

// unscaled returns n / 10^digits as a JSON number, without needless digits.
func unscaled(n int64, digits int) json.Number {
	s := fmt.Sprintf("%0*d", digits+1, n)
	point := len(s) - digits
	after := strings.TrimRight(s[point:], "0")
	if after == "" {
		return json.Number(s[:point])
	}
	return json.Number(s[:point] + "." + after)
}

// readCount reads a JSON number that counts something.
func readCount(v json.RawMessage, n *int) error {
	c, err := scaled(v, 0)
	if err == nil && c > math.MaxInt32 {
		err = fmt.Errorf("%w: %d", ErrRange, c)
	}
	*n = int(c)
	return err
}
