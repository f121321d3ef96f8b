package units

import "fmt"

// Slowdown is the extra time that work may take over the highest frequency, as a share of its time
// there: at 5 %, 100 s may become 105 s. It is the budget of DEP+BURST, section 6.1. Like a Ratio
// it is written with a percent sign. The zero value allows no slowdown.
type Slowdown float64

// maxSlowdown is the largest Slowdown: twice the time. A larger one is a mistake rather than a
// wish.
const maxSlowdown Slowdown = 1

// Validate returns an error unless s is between 0 and maxSlowdown.
func (s Slowdown) Validate() error {
	if !(s >= 0 && s <= maxSlowdown) {
		return fmt.Errorf("a slowdown of %v is not between 0%% and %v", s, maxSlowdown)
	}
	return nil
}

// String returns the exact text, in percent: "5%".
func (s Slowdown) String() string { return Ratio(s).String() }

// MarshalText returns the text of String. A value that is not finite has none.
func (s Slowdown) MarshalText() ([]byte, error) { return Ratio(s).MarshalText() }

// UnmarshalText reads a number with a percent sign and validates it.
func (s *Slowdown) UnmarshalText(text []byte) error {
	var r Ratio
	if err := r.UnmarshalText(text); err != nil {
		return err
	}
	if err := Slowdown(r).Validate(); err != nil {
		return err
	}
	*s = Slowdown(r)
	return nil
}

// Set does what UnmarshalText does, for flags.
func (s *Slowdown) Set(text string) error { return s.UnmarshalText([]byte(text)) }

// Type returns the type's name in a flag's help.
func (s *Slowdown) Type() string { return "percentage" }
