package policy

import (
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// Rule says how a slowdown budget is spent.
type Rule string

const (
	// Priced spends the budget where a millisecond saves the most energy; see Allotment. It is the
	// default.
	Priced Rule = "priced"
	// Even slows every quantum by what the budget allows, with an account of what happened; see
	// Budget.
	Even Rule = "even"
	// AsPrinted is the paper's rule, equation 1 with its excess time: reckoned with predictions
	// alone; see Printed.
	AsPrinted Rule = "as-printed"
	// AsPrintedOpen is the same without excess time.
	AsPrintedOpen Rule = "as-printed-open"
)

// Rules are the names of the rules.
func Rules() []string {
	return []string{string(Priced), string(Even), string(AsPrinted), string(AsPrintedOpen)}
}

// CheckRule says what is wrong with a rule's name, if anything. No name is the default.
func CheckRule(r Rule) error {
	if r == "" || slices.Contains(Rules(), string(r)) {
		return nil
	}
	return fmt.Errorf("unknown rule %q: there are %v", r, Rules())
}

// Margin is how much of the budget is left unspent on purpose, because predictions err: a share, or
// as much as the error bar says.
type Margin struct {
	// Share is this part of the budget: 10% of a budget of 5% aims at a slowdown of 4.5 %.
	Share units.Ratio
	// ErrorBar instead leaves as much as the work that the account holds to have taken at the
	// highest frequency may have taken less, by the rolling error of past predictions
	// (Quantum.Doubt).
	ErrorBar bool
}

// MaxShare is the largest Margin.Share: more leaves no budget.
const MaxShare units.Ratio = 0.9

// CheckMargin says what is wrong with a margin, if anything.
func CheckMargin(m Margin) error {
	if !(m.Share >= 0 && m.Share <= MaxShare) {
		return fmt.Errorf("a margin of %v is not between 0%% and %v", m.Share, MaxShare)
	}
	return nil
}

// errorBar is how Margin.ErrorBar is written.
const errorBar = "error-bar"

// String is the share, or "error-bar".
func (m Margin) String() string {
	if m.ErrorBar {
		return errorBar
	}
	return m.Share.String()
}

// MarshalText is String.
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

// Set is UnmarshalText, for flags.
func (m *Margin) Set(s string) error { return m.UnmarshalText([]byte(s)) }

// Type names the type in a flag's help.
func (m *Margin) Type() string { return "percentage" }
