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
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// Objective is the aim that a governor saves energy for.
type Objective string

const (
	// Slowdown: least processor energy within a slowdown budget (DEP+BURST, section 6.1).
	Slowdown Objective = "slowdown"
	// SystemEnergy: least energy of processor, memory and platform together (section 6.2).
	SystemEnergy Objective = "system-energy"
	// Fixed: always the same frequency.
	Fixed Objective = "fixed"
)

// DefaultMargin is the share of the budget that is left over by default.
const DefaultMargin units.Ratio = 0.015

// MostQuanta bounds Config.HoldOff and Config.Rest.
const MostQuanta = 10000

// Default has the paper's values (DEP+BURST, sections 6.1.1 and 6.1.2) and ebb's own choices.
// States, Counters and Predictor are the machine's and the caller's.
func Default() Config {
	return Config{
		Objective: Slowdown, Slowdown: 0.05, Rule: policy.Priced,
		Margin: policy.Margin{Share: DefaultMargin}, Power: power.Table2(), Sure: true,
		ByPhase: true, Quantum: 5 * time.Millisecond, HoldOff: 1,
	}
}

// Config is everything that determines a governor's response to its events. Every recording has it,
// so a replay needs nothing more.
type Config struct {
	Objective Objective
	// Slowdown, for the objective of that name, is the share of time that may be lost. Recordings
	// call it Budget.
	Slowdown  units.Slowdown  `json:"Budget"`
	Frequency units.Frequency // Fixed: the frequency
	// CarryMax, for Slowdown, bounds the excess time carried on; 0 is the policy's default.
	CarryMax time.Duration
	// Power prices energy for Slowdown by price and for SystemEnergy; none is power.Table2.
	Power power.Model
	// Rule, for Slowdown, is one of policy.Rules; "" is policy.Priced. For SystemEnergy it is
	// policy.SixSteps, or any other for ebb's own.
	Rule   policy.Rule
	Margin policy.Margin // Slowdown by price: the part of the budget that is left over
	// NoLearning keeps predictions uncorrected. NoProbes omits the quanta at the highest frequency
	// that only check predictions.
	NoLearning, NoProbes bool
	// ByPhase has the predictions of each phase of the program corrected by a bias of that phase,
	// besides the bias of all its work. Old recordings were made without.
	ByPhase bool `json:",omitempty"`

	// MeterProbes has the program run at the highest frequency now and then, only to meter what it
	// draws there. Without, the saving is the model's.
	MeterProbes bool
	// Sure keeps the highest frequency, for SystemEnergy by ebb's own rule, where what a lower one
	// would save is less than the doubt about it. Old recordings were made without.
	Sure bool

	States  []units.Frequency // ascending, at least one
	Quantum time.Duration     // the grid's step
	HoldOff int               // number of quanta of which one is profiled, at least 1
	// Rest is the number of quanta that may pass as one while the program does as forecast; below 2
	// none do. With a hold-off, or another rule than policy.Priced, it changes nothing.
	Rest int `json:",omitempty"`
	// Brief has the last quantum of a rest stand for all of it in predictions; the others count by
	// their times alone. Old recordings were made without.
	Brief bool `json:",omitempty"`
	// Patient has no quantum stale, for the recording of a governor that rested where this one
	// would not. No recording has it.
	Patient bool `json:"-"`
	// Shadow: requests change nothing on this machine. Work is measured at the highest state, and
	// the effective frequency is the one that ebb would have requested.
	Shadow bool
	// Settle is the time after which a request is in effect on this machine, in 99 of 100 cases; 0
	// when it is not known.
	Settle time.Duration

	Counters []string // names of the counters in each slice, in order; none without a PMU
	// Functions holds the shares of the functions in which samples find threads; nil where there
	// are no samples.
	Functions *sensitivity.Shares `json:",omitempty"`
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
	case c.HoldOff < 1 || c.HoldOff > MostQuanta:
		return fmt.Errorf("hold-off %d is not between 1 and %d", c.HoldOff, MostQuanta)
	case c.Rest < 0 || c.Rest > MostQuanta:
		return fmt.Errorf("rest of %d quanta is not between 0 and %d", c.Rest, MostQuanta)
	case c.Settle < 0 || c.Settle > time.Minute:
		return fmt.Errorf("settling time %v is not between 0 and 1m", c.Settle)
	case len(c.Counters) > epochs.MaxCounters:
		return fmt.Errorf("%d counters, more than %d", len(c.Counters), epochs.MaxCounters)
	}
	if c.Functions != nil {
		if err := c.Functions.Validate(); err != nil {
			return err
		}
	}
	if !c.sixSteps() {
		if err := policy.CheckRule(c.Rule); err != nil {
			return err
		}
	}
	return c.Margin.Validate()
}

// policy makes the policy. fit is the model of the processor's energy, which may go on learning.
func (c *Config) policy(fit *power.Fit) (policy.Policy, error) {
	switch c.Objective {
	case Slowdown:
		return c.spender(fit)
	case SystemEnergy:
		if c.sixSteps() {
			return policy.NewPaperSixSteps(c.States, c.model())
		}
		return policy.NewSystemEnergy(policy.SystemEnergyConfig{States: c.States,
			Power: c.model(), Fit: fit, Sure: c.Sure})
	case Fixed:
		return policy.NewFixed(c.Frequency), nil
	}
	return nil, fmt.Errorf("unknown objective %q", c.Objective)
}

// spender returns the policy that spends the budget.
func (c *Config) spender(fit *power.Fit) (policy.Policy, error) {
	switch c.Rule {
	case policy.Even:
		return policy.NewBudget(policy.BudgetConfig{Slowdown: c.Slowdown,
			States: c.States, HoldOff: c.HoldOff, CarryMax: c.CarryMax})
	case policy.AsPrinted, policy.AsPrintedOpen:
		return policy.NewPaperSlowdown(policy.PaperConfig{Slowdown: c.Slowdown, States: c.States,
			HoldOff: c.HoldOff, Open: c.Rule == policy.AsPrintedOpen})
	}
	return policy.NewAllotment(policy.AllotmentConfig{
		Slowdown: c.Slowdown, States: c.States, HoldOff: c.HoldOff, Power: fit, Margin: c.Margin,
		CarryMax: c.CarryMax, Quantum: c.Quantum, Settle: c.Settle,
	})
}

// model returns the power model, power.Table2 when there is none.
func (c *Config) model() power.Model {
	if c.Power == (power.Model{}) {
		return power.Table2()
	}
	return c.Power
}

// accounts reports whether the policy keeps an account of what quanta took at the highest
// frequency. Older rules take each quantum by itself.
func (c *Config) accounts() bool {
	return c.Objective == Slowdown && (c.Rule == "" || c.Rule == policy.Priced)
}

// learns reports whether past errors correct predictions. The paper's rule is as printed, without
// correction.
func (c *Config) learns() bool {
	return !c.NoLearning && !c.Printed() && !c.Shadow && c.Objective != Fixed
}

// probesMeter reports whether the program may be probed for its energy.
func (c *Config) probesMeter() bool {
	return c.MeterProbes && !c.NoProbes && !c.Printed() && !c.Shadow && c.Objective != Fixed
}

// Printed reports whether the rule is the paper's.
func (c *Config) Printed() bool {
	return c.sixSteps() ||
		c.Objective == Slowdown && (c.Rule == policy.AsPrinted || c.Rule == policy.AsPrintedOpen)
}

// sixSteps reports whether the rule is the paper's for the system's energy.
func (c *Config) sixSteps() bool {
	return c.Objective == SystemEnergy && c.Rule == policy.SixSteps
}

// shares reports whether predictions model threads that wait for each other at the memory. That
// needs the memory's bandwidth, which Predictor.Machine has.
func (c *Config) shares() bool { return c.Predictor.Latencies != nil && !c.Printed() }
