package units

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Power is a power in W. It is written with a unit: "15W", "500mW".
type Power float64

var powers = quantity{name: "a power", such: "15W",
	units: []unit{{"MW", 6}, {"kW", 3}, {"W", 0}, {"mW", -3}, {"uW", -6}}}

// String returns p rounded to four significant digits: "17.25 W", "350 mW".
func (p Power) String() string {
	if v := float64(p); math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) >= 1e9 {
		return fmt.Sprintf("%.*g W", shownDigits, v)
	}
	return powersRounded.show(roundDigits(int64(math.Round(float64(p)*1e6)), shownDigits))
}

// powersRounded is the quantity of powers in whole uW.
var powersRounded = quantity{none: "W",
	units: []unit{{"MW", 12}, {"kW", 9}, {"W", 6}, {"mW", 3}, {"uW", 0}}}

// MarshalText returns p exactly, in W. A p that is not finite has no text.
func (p Power) MarshalText() ([]byte, error) {
	if math.IsNaN(float64(p)) || math.IsInf(float64(p), 0) {
		return nil, fmt.Errorf("a power of %v cannot be written", float64(p))
	}
	return append(strconv.AppendFloat(nil, float64(p), 'f', -1, 64), 'W'), nil
}

// UnmarshalText reads a number with a unit.
func (p *Power) UnmarshalText(text []byte) error {
	v, err := powers.float(string(text))
	if err != nil {
		return err
	}
	*p = Power(v)
	return nil
}

// Set does what UnmarshalText does, for flags.
func (p *Power) Set(s string) error { return p.UnmarshalText([]byte(s)) }

// Type returns the type's name in a flag's help.
func (p *Power) Type() string { return "power" }

// For returns the energy of p over d, to the nearest nJ. The result is limited to the range of
// Energy; for a power that is not a number it is 0.
func (p Power) For(d time.Duration) Energy {
	v := math.Round(float64(p) * float64(d)) // W*ns = nJ
	switch {
	case math.IsNaN(v):
		return 0
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return Energy(v)
}
