package governor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Objective is what a governor saves energy for.
type Objective string

const (
	// Slowdown: least processor energy within a slowdown budget (DEP+BURST, section 6.1).
	Slowdown Objective = "slowdown"
	// SystemEnergy: least energy of processor, memory and platform together (section 6.2).
	SystemEnergy Objective = "system-energy"
	// Fixed: always the same frequency.
	Fixed Objective = "fixed"
)

// Config is all that determines what a governor does with its events. It goes into every recording, so that a replay
// needs nothing else.
type Config struct {
	Objective Objective
	Budget    units.Ratio     // Slowdown: how much time may be lost
	Frequency units.Frequency // Fixed: which
	CarryMax  time.Duration   // Slowdown: bound of the excess time carried on; 0 for the policy's default
	Power     power.Model     // SystemEnergy, and every modelled energy

	States  []units.Frequency // ascending, at least one
	Quantum time.Duration     // the grid's step
	HoldOff int               // the first of how many quanta is profiled; 1 for every one
	// Shadow: requests change nothing on this machine. Work is measured at the highest state, and the frequency in
	// effect is the one that would have been asked for.
	Shadow bool

	Counters  []string // names of the counters in each slice, in order; none without a PMU
	Predictor predictor.Config
}

func (c *Config) validate() error {
	switch {
	case len(c.States) == 0:
		return errors.New("no frequency to choose from")
	case !slices.IsSorted(c.States) || c.States[0] <= 0:
		return fmt.Errorf("frequencies are not ascending: %v", c.States)
	case c.Quantum < time.Millisecond || c.Quantum > time.Minute:
		return fmt.Errorf("quantum %v is not between 1ms and 1m", c.Quantum)
	case c.HoldOff < 1 || c.HoldOff > 10000:
		return fmt.Errorf("hold-off %d is not between 1 and 10000", c.HoldOff)
	case len(c.Counters) > epochs.MaxCounters:
		return fmt.Errorf("%d counters, more than %d", len(c.Counters), epochs.MaxCounters)
	}
	return nil
}

func (c *Config) policy() (policy.Policy, error) {
	switch c.Objective {
	case Slowdown:
		return policy.NewBudget(policy.BudgetConfig{Slowdown: c.Budget, States: c.States, HoldOff: c.HoldOff, CarryMax: c.CarryMax})
	case SystemEnergy:
		return policy.NewSystemEnergy(policy.SystemEnergyConfig{States: c.States, Power: c.Power})
	case Fixed:
		return policy.NewFixed(c.Frequency), nil
	}
	return nil, fmt.Errorf("unknown objective %q", c.Objective)
}
