package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// Steps are the frequencies that ebb may choose: from Low to High, Step apart. The zero value is
// every state of the machine. It is written "1GHz..4GHz/500MHz".
type Steps struct{ Low, High, Step units.Frequency }

// maxSteps bounds their number; processors have a few dozen states.
const maxSteps = 1000

// String returns the text that Set reads, "" for the zero value.
func (s Steps) String() string {
	if s == (Steps{}) {
		return ""
	}
	return fmt.Sprintf("%v..%v/%v", s.Low, s.High, s.Step)
}

// UnmarshalText reads what String writes.
func (s *Steps) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = Steps{}
		return nil
	}
	low, rest, isRange := strings.Cut(string(text), "..")
	high, step, hasStep := strings.Cut(rest, "/")
	if !isRange || !hasStep {
		return fmt.Errorf("%.40q is not LOW..HIGH/STEP, such as 1GHz..4GHz/500MHz", text)
	}
	var read Steps
	for _, part := range []struct {
		text string
		to   *units.Frequency
	}{{low, &read.Low}, {high, &read.High}, {step, &read.Step}} {
		if err := part.to.Set(part.text); err != nil {
			return err
		}
	}
	switch {
	case read.Low <= 0 || read.High < read.Low:
		return fmt.Errorf("%v to %v is no range of frequencies", read.Low, read.High)
	case read.Step <= 0 || int64((read.High-read.Low)/read.Step) >= maxSteps:
		return fmt.Errorf("steps of %v from %v to %v: there may be 1 to %d", read.Step, read.Low,
			read.High, maxSteps)
	}
	*s = read
	return nil
}

// Set implements the flag's value by UnmarshalText.
func (s *Steps) Set(text string) error { return s.UnmarshalText([]byte(text)) }

// Type names the type in a flag's help.
func (s *Steps) Type() string { return "LOW..HIGH/STEP" }

// Of returns the machine's states (ascending) that are nearest to the steps. It adds the highest
// state, which every slowdown is measured against. A step outside the machine's range is an error.
func (s Steps) Of(states []units.Frequency) ([]units.Frequency, error) {
	if s == (Steps{}) {
		return states, nil
	}
	lowest, highest := states[0], states[len(states)-1]
	chosen := []units.Frequency{highest}
	for f := s.Low; f <= s.High; f += s.Step {
		if f < lowest || f > highest {
			return nil, fmt.Errorf("states %v: there are %v to %v here", s, lowest, highest)
		}
		chosen = append(chosen, Nearby(states, f))
		if s.Step > math.MaxInt64-f {
			break // the sum would overflow
		}
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// Nearby returns the state of some (ascending) that is nearest to f; between two, the upper one.
func Nearby(states []units.Frequency, f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, f)
	if i == len(states) || i > 0 && f-states[i-1] < states[i]-f {
		i--
	}
	return states[i]
}
