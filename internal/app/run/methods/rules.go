package methods

import (
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// allRules stands for every rule's name.
const allRules = "all"

// rules returns the rules by which energy is divided, ebb's own first; without names, the
// default's. CPU time is the same at all frequencies, and beside another hardware thread. It is
// each thread's own, so no rule divides it in another way.
func rules(m *power.Model, names []string, by energy.Source) (all []energy.Rule, err error) {
	c := energy.RuleConfig{Power: perBusyTime(*m)}
	byDefault := energy.DefaultRules
	if !by.Joules() {
		c, byDefault = energy.RuleConfig{Shared: 1}, energy.DefaultRules[:1]
	}
	if len(names) == 0 {
		names = byDefault
	}
	for _, name := range energy.RuleNames {
		if name != energy.RuleNames[0] && !slices.Contains(names, name) &&
			!slices.Contains(names, allRules) {
			continue
		}
		r, err := energy.NewRule(name, c)
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

// perBusyTime returns a CPU's power while it is busy, relative to other clocks, by the model's
// dynamic part.
func perBusyTime(m power.Model) func(units.Frequency) float64 {
	return func(f units.Frequency) float64 {
		v := m.Voltage(f)
		return float64(f) * v * v
	}
}
