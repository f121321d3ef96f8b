package policy

import "github.com/ebb-energy/ebb/units"

// Fixed always decides for the same frequency.
type Fixed struct{ f units.Frequency }

// NewFixed makes the policy that decides for f.
func NewFixed(f units.Frequency) Fixed { return Fixed{f} }

// First is the frequency to begin with.
func (x Fixed) First() units.Frequency { return x.f }

// Decide implements Policy. It asks for one prediction; the highest frequency, which it does not
// know, for none.
func (x Fixed) Decide(_ Quantum, p Predicted) Decision {
	return Decision{Frequency: x.f, Reason: ReasonFixed, Chosen: p.Duration(x.f)}
}
