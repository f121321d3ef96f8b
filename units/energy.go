package units

import (
	"math"
	"time"
)

// Energy is an amount of energy in nJ. Its range is 9.2 GJ, or 213 days at 500 W; Plus and
// Power.For stop at its ends. It is written with a unit: "20nJ", "500mJ", "1.5kJ".
type Energy int64

var energies = quantity{name: "an energy", such: "500mJ", none: "J",
	units: []unit{{"MJ", 15}, {"kJ", 12}, {"J", 9}, {"mJ", 6}, {"uJ", 3}, {"nJ", 0}}}

// shownDigits is the number of significant digits that String shows of quantities that are measured
// or modelled. No meter and no model knows more.
const shownDigits = 4

// String returns e rounded to four significant digits: "12.35 J".
func (e Energy) String() string { return energies.show(roundDigits(int64(e), shownDigits)) }

// MarshalText returns e exactly.
func (e Energy) MarshalText() ([]byte, error) { return []byte(energies.format(int64(e))), nil }

// UnmarshalText reads a whole number of nJ with a unit.
func (e *Energy) UnmarshalText(text []byte) error {
	v, err := energies.integer(string(text))
	if err != nil {
		return err
	}
	*e = Energy(v)
	return nil
}

// Set does what UnmarshalText does, for flags.
func (e *Energy) Set(s string) error { return e.UnmarshalText([]byte(s)) }

// Type returns the type's name in a flag's help.
func (e *Energy) Type() string { return "energy" }

// Plus returns the sum, limited to the range.
func (e Energy) Plus(o Energy) Energy {
	s := e + o
	switch {
	case e > 0 && o > 0 && s < 0:
		return math.MaxInt64
	case e < 0 && o < 0 && s >= 0:
		return math.MinInt64
	}
	return s
}

// Over returns the mean power of e spent over d. It is 0 when d is not positive: no time, no mean.
func (e Energy) Over(d time.Duration) Power {
	if d <= 0 {
		return 0
	}
	return Power(float64(e) / float64(d)) // nJ/ns = W
}
