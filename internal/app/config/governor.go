package config

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// Governor returns the governor's configuration on a machine with these frequencies (ascending).
func (c *Config) Governor(states []units.Frequency) governor.Config {
	g := governor.Config{
		Objective: governor.Slowdown, Slowdown: c.Slowdown, CarryMax: c.CarryMax,
		Frequency: c.Frequency, Power: c.Power,
		Rule: policy.Rule(c.Rule), Margin: c.Margin, Settle: c.Settle,
		States: states, Quantum: c.Quantum, HoldOff: c.HoldOff, Rest: c.Rest, Brief: true,
		MeterProbes: true, Sure: true, ByPhase: true,
		Predictor: predictor.Config{Model: c.Model, Estimator: c.Estimator, CTP: c.CTP},
	}
	switch {
	case c.Frequency > 0:
		g.Objective = governor.Fixed
	case c.Minimize == MinimizeSystemEnergy:
		g.Objective = governor.SystemEnergy
	}
	return g
}
