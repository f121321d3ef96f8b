package simhost

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// The counters that ebb uses on simulated machines. Machines with exact counters have the critical
// path's time outside the core's clock domain, the others have the counters of real processors,
// which bracket it.
var (
	exactCounters = []string{hpc.CritOffX, hpc.CritDRAMX,
		hpc.FetchOff, hpc.SQOff, hpc.Insts, hpc.DRAMReads}
	realCounters = []string{hpc.Cycles, hpc.Instructions,
		hpc.StallLo, hpc.OccHi, hpc.StoreFull, hpc.StoreRFO}
)

// Counters returns the best that a machine has.
func Counters(p *hardware.Profile) []string {
	if p.Counters.Exact {
		return exactCounters
	}
	return realCounters
}

// Configure fills in what of a governor's configuration is the machine's: its states, how long a
// request takes, where its counters are exact the latencies of its memory, and what the run's
// options say of quantum, hold-off and counters.
func Configure(cfg governor.Config, p *hardware.Profile, o *simtest.Options) governor.Config {
	cfg.States = p.States
	if cfg.Power == power.Table2() {
		cfg.Power = Datasheet(p) // nobody has said anything better
	}
	if cfg.Predictor.Latencies == nil && p.Counters.Exact {
		m := latencies(p)
		cfg.Predictor.Latencies = &m
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
