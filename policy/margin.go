package policy

import (
	"fmt"

	"github.com/ebb-energy/ebb/units"
)

// Margin is the part of a budget that stays unspent on purpose, because predictions err: a share of
// the budget, or as much as past errors suggest.
type Margin struct {
	// Share is the part of the budget: with 10 %, a budget of 5 % aims at a slowdown of 4.5 %.
	Share units.Ratio
	// ErrorBar ignores Share. The account then assumes that at the highest frequency each quantum's
	// work would have taken less than predicted, by Quantum.Doubt.
	ErrorBar bool
}

// maxMarginShare is the largest Margin.Share: a larger one leaves hardly any budget.
const maxMarginShare units.Ratio = 0.9

// Validate returns an error unless the share is between 0 and 90 %.
func (m Margin) Validate() error {
	if !(m.Share >= 0 && m.Share <= maxMarginShare) {
		return fmt.Errorf("a margin of %v is not between 0%% and %v", m.Share, maxMarginShare)
	}
	return nil
}

// errorBar is the text of Margin.ErrorBar.
const errorBar = "error-bar"

// String returns the share, or "error-bar".
func (m Margin) String() string {
	if m.ErrorBar {
		return errorBar
	}
	return m.Share.String()
}

// MarshalText returns the text of String.
func (m Margin) MarshalText() ([]byte, error) {
	if m.ErrorBar {
		return []byte(errorBar), nil
	}
	return m.Share.MarshalText()
}

// UnmarshalText reads a share with its percent sign, or "error-bar".
func (m *Margin) UnmarshalText(text []byte) error {
	if string(text) == errorBar {
		*m = Margin{ErrorBar: true}
		return nil
	}
	var share units.Ratio
	if err := share.UnmarshalText(text); err != nil {
		return fmt.Errorf("%w, or %q", err, errorBar)
	}
	*m = Margin{Share: share}
	return nil
}

// Set does what UnmarshalText does, for flags.
func (m *Margin) Set(s string) error { return m.UnmarshalText([]byte(s)) }

// Type names the type in a flag's help.
func (m *Margin) Type() string { return "percentage" }
