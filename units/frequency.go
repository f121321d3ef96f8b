package units

import "fmt"

// Frequency is a clock frequency in Hz. It is written with a unit: "2.4GHz", "2400MHz",
// "2400000kHz".
type Frequency int64

var frequencies = quantity{name: "a frequency", such: "2.4GHz", none: "Hz",
	units: []unit{{"GHz", 9}, {"MHz", 6}, {"kHz", 3}, {"Hz", 0}}}

// String returns the exact text: "2.4GHz", "933.333333MHz".
func (f Frequency) String() string { return frequencies.format(int64(f)) }

// Text returns the text for a sentence: "2.4 GHz".
func (f Frequency) Text() string { return frequencies.show(int64(f)) }

// MarshalText returns the text of String.
func (f Frequency) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a whole number of Hz with a unit. A negative frequency is refused.
func (f *Frequency) UnmarshalText(text []byte) error {
	v, err := frequencies.integer(string(text))
	if err != nil {
		return err
	}
	if v < 0 {
		return fmt.Errorf("%s is negative: %s is not", shown(string(text)), frequencies.name)
	}
	*f = Frequency(v)
	return nil
}

// Set does what UnmarshalText does, for flags.
func (f *Frequency) Set(s string) error { return f.UnmarshalText([]byte(s)) }

// Type returns the type's name in a flag's help.
func (f *Frequency) Type() string { return "frequency" }
