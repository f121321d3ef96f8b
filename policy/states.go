package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// states are the frequencies to choose from, ascending; at least one.
type states []units.Frequency

// newStates copies s. An error says what is wrong with it.
func newStates(s []units.Frequency) (states, error) {
	if len(s) == 0 {
		return nil, errors.New("policy: no frequency to choose from")
	}
	for i, f := range s {
		if f <= 0 {
			return nil, fmt.Errorf("policy: frequency %v is not above zero", f)
		}
		if i > 0 && f <= s[i-1] {
			return nil, fmt.Errorf("policy: frequencies do not ascend: %v after %v", f, s[i-1])
		}
	}
	return slices.Clone(s), nil
}

// Highest returns the last state.
func (s states) Highest() units.Frequency { return s[len(s)-1] }

// Widest returns the largest ratio of two neighbouring states, 1 when there is one state.
func (s states) Widest() float64 {
	w := 1.0
	for i := 1; i < len(s); i++ {
		w = max(w, float64(s[i])/float64(s[i-1]))
	}
	return w
}

// usable reports whether a prediction is positive and finite, so that a decision can rest on it.
func usable(t float64) bool { return t > 0 && !math.IsInf(t, 1) }
