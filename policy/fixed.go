package policy

import (
	"github.com/ebb-energy/ebb/units"
)

// Fixed always decides for the same frequency.
type Fixed struct{ f units.Frequency }

var _ Policy = Fixed{}

// NewFixed makes the policy that decides for f.
func NewFixed(f units.Frequency) Fixed { return Fixed{f} }

// First returns the fixed frequency.
func (f Fixed) First() units.Frequency { return f.f }

// Decide implements Policy. It asks for one prediction. It does not know the highest
// frequency, so the decision's Max is 0.
func (f Fixed) Decide(_ Quantum, p Predictions) Decision {
	return Decision{Frequency: f.f, Reason: ReasonFixed, Chosen: p.Duration(f.f)}
}
