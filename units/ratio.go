package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Ratio is a dimensionless share: 0.05 is 5 %. It is written with a percent sign, "5%"; without one
// it is refused, because "5" and "0.05" are both what some people mean by five percent.
type Ratio float64

var ratios = quantity{name: "a share", such: "5%", units: []unit{{"%", -2}}}

// String returns the exact text, in percent: "5%", "12.5%".
func (r Ratio) String() string {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return fmt.Sprintf("%v%%", float64(r))
	}
	// The point moves in the decimal text: 100 * 0.07 is not 7.
	s := strconv.FormatFloat(math.Abs(float64(r)), 'f', -1, 64)
	whole, frac, _ := strings.Cut(s, ".")
	for len(frac) < 2 {
		frac += "0"
	}
	s = strings.TrimLeft(whole+frac[:2], "0")
	if s == "" {
		s = "0"
	}
	if frac[2:] != "" {
		s += "." + frac[2:]
	}
	if math.Signbit(float64(r)) {
		s = "-" + s
	}
	return s + "%"
}

// MarshalText returns the text of String. An r that is not finite has none.
func (r Ratio) MarshalText() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return nil, fmt.Errorf("a share of %v cannot be written", float64(r))
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads a number with a percent sign.
func (r *Ratio) UnmarshalText(text []byte) error {
	if s := strings.TrimSpace(string(text)); isDecimal(s) {
		return fmt.Errorf(
			"%s has no percent sign: a share such as a slowdown needs one, such as 5%%", shown(s),
		)
	}
	v, err := ratios.float(string(text))
	if err != nil {
		return err
	}
	*r = Ratio(v)
	return nil
}

// Set does what UnmarshalText does, for flags.
func (r *Ratio) Set(s string) error { return r.UnmarshalText([]byte(s)) }

// Type returns the type's name in a flag's help.
func (r *Ratio) Type() string { return "percentage" }
