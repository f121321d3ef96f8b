package simhost

import (
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// instructionsPerCycle is the rate at which a data sheet's power of a busy core holds.
const instructionsPerCycle = 1.5

// Datasheet returns what a machine's maker could state of its power, as far as the governor's model
// has a place for it: the voltage at both ends, static power, the power of one busy core and of
// all, standby power of the memory. The machine's own physics is richer. A datasheet does not state
// how leakage follows voltage and heat, what a stalled cycle draws, or what an access costs.
func Datasheet(p *hardware.Profile) power.Model {
	s := &p.Power
	lo, hi := p.States[0], p.Highest()
	top := s.Voltage(hi)
	m := power.Model{
		Name: "datasheet of " + p.Name, Reference: hi,
		VoltsPerGHz: (top - s.Voltage(lo)) / (float64(hi-lo) / 1e9),
		Static:      s.Uncore.Static + units.Power(p.Physical())*s.Core.Static,
		Core: units.Power((s.Core.Instruction*instructionsPerCycle +
			s.Core.Cycle) * float64(hi) / 1e9),
		DRAMStatic: units.Power(s.Memory.Ranks) * s.Memory.Standby,
		DRAMAccess: units.Energy(s.Memory.Activate*(1-s.Memory.RowHits) + s.Memory.Read),
	}
	m.FullLoad = m.Static + units.Power(p.Physical())*m.Core
	m.VoltsAtZero = top - m.VoltsPerGHz*float64(hi)/1e9
	return m
}

// SameLatencies returns the predictor's, for who knows only that on these machines a line takes as
// long from either cache of another core.
func SameLatencies() nonscaling.Latencies {
	m := nonscaling.DefaultLatencies()
	m.SecondNs, m.SecondCycles = 0, 0
	return m
}

// latencies returns the latencies that a maker could state, or a pointer chase find.
func latencies(p *hardware.Profile) nonscaling.Latencies {
	m := SameLatencies()
	m.LookupCycles, m.SharedNs, m.MemoryNs = p.LookupCycles, p.L3Ns, p.L3Ns+p.DRAMNs
	m.TransferNs, m.TransferCycles = p.TransferNs, p.TransferCycles
	m.LineNs = p.LineNs
	return m
}
