package run

import (
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// allRules stands for every rule's name.
const allRules = "all"

// rules are the rules by which energy is divided, ebb's own first. No names are the default's.
func rules(m *power.Model, names []string) (all []energy.Rule, err error) {
	if len(names) == 0 {
		names = energy.DefaultRules
	}
	for _, name := range energy.RuleNames {
		if name != energy.RuleNames[0] && !slices.Contains(names, name) &&
			!slices.Contains(names, allRules) {
			continue
		}
		r, err := energy.NewRule(name, energy.RuleConfig{Power: perBusyTime(*m)})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// checkRules refuses names that no rule has.
func checkRules(names []string) error {
	for _, name := range names {
		if name != allRules && !slices.Contains(energy.RuleNames, name) {
			return command.Usagef("--rules: no rule %q; there are %s, and all", name,
				strings.Join(energy.RuleNames, ", "))
		}
	}
	return nil
}

// perBusyTime is a CPU's power while it is busy, relative to others, by the model's dynamic part.
func perBusyTime(m power.Model) func(units.Frequency) float64 {
	return func(f units.Frequency) float64 {
		v := m.Voltage(f)
		return float64(f) * v * v
	}
}
