package policy

import (
	"fmt"
	"slices"
)

// Rule names the policy that serves an objective.
type Rule string

// The rules that spend a slowdown budget.
const (
	// Priced spends the budget where a millisecond saves the most energy (Allotment). It is the
	// default.
	Priced Rule = "priced"
	// Even slows every quantum by what the budget allows, with an account of what happened
	// (Budget).
	Even Rule = "even"
	// AsPrinted is the paper's rule, equation 1 with its excess time. It trusts predictions and
	// never compares them with what happened (PaperSlowdown).
	AsPrinted Rule = "as-printed"
	// AsPrintedOpen is AsPrinted without the excess time.
	AsPrintedOpen Rule = "as-printed-open"
)

// Rules returns the names of the rules that spend a slowdown budget.
func Rules() []string {
	return []string{string(Priced), string(Even), string(AsPrinted), string(AsPrintedOpen)}
}

// SixSteps is the paper's rule for the least energy of the whole system (section 6.2,
// PaperSixSteps). Any rule but this one leaves that objective to ebb's own policy (SystemEnergy).
const SixSteps Rule = "six-steps"

// SystemRules returns the names of the rules for the least energy of the whole system.
func SystemRules() []string { return []string{string(SixSteps)} }

// For returns the rule for runs with the objective of least system energy (system), or with a
// slowdown budget: r if it serves that objective, otherwise ebb's own.
func (r Rule) For(system bool) Rule {
	if slices.Contains(SystemRules(), string(r)) == system {
		return r
	}
	return Priced
}

// CheckRule returns an error unless r spends a slowdown budget. An empty name stands for the
// default.
func CheckRule(r Rule) error {
	if r == "" || slices.Contains(Rules(), string(r)) {
		return nil
	}
	return fmt.Errorf("unknown rule %q: there are %v", r, Rules())
}
