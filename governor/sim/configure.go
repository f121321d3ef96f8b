package sim

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/simtest"
)

// Configure fills in what of a governor's configuration is the machine's: its states, how long a request takes, and what
// the run's options say of quantum, hold-off and counters.
func Configure(cfg governor.Config, p *simtest.Profile, o *simtest.Options) governor.Config {
	cfg.States = p.States
	if cfg.Power == power.Table2() {
		cfg.Power = Datasheet(p) // nobody has said anything better
	}
	cfg.Settle = p.Transition.Longest()
	cfg.Counters = o.Counters
	if o.Quantum > 0 {
		cfg.Quantum = o.Quantum
	}
	if o.HoldOff > 0 {
		cfg.HoldOff = o.HoldOff
	}
	return cfg
}
