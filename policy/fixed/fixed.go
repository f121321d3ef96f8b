// Package fixed keeps one frequency.
package fixed

import (
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Fixed always decides for the same frequency.
type Fixed struct{ f units.Frequency }

var _ policy.Policy = Fixed{}

// New makes the policy that decides for f.
func New(f units.Frequency) Fixed { return Fixed{f} }

// First is the frequency.
func (x Fixed) First() units.Frequency { return x.f }

// Decide implements policy.Policy. It asks for one prediction. It does not know the highest
// frequency, so the decision's Max is 0.
func (x Fixed) Decide(_ policy.Quantum, p policy.Predictions) policy.Decision {
	return policy.Decision{Frequency: x.f, Reason: policy.ReasonFixed, Chosen: p.Duration(x.f)}
}
