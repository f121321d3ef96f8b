// Package power models what work costs at a frequency: processor, memory and platform, by the six
// steps of DEP+BURST (section 6.2). It is arithmetic on a handful of documented parameters. Its
// results are modelled, never measured, and ebb says so wherever it shows them.
package power

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Work is the target's work in an interval, as far as it costs energy.
type Work struct {
	// Dur is the time of the work at F; a prediction, unless it ran at F. The six steps call it T'.
	Dur time.Duration
	// CoreBusy is the run time summed over cores, measured at Base. CoreBusy times Base is the
	// number of busy core cycles, which the steps take to be the same at every frequency.
	CoreBusy time.Duration
	Base     units.Frequency // frequency at which CoreBusy was measured
	F        units.Frequency // frequency for which the energy is computed

	// DRAMReads and DRAMWrites are requests to memory, one per cache line; the same at every
	// frequency.
	DRAMReads, DRAMWrites uint64
}

// Breakdown is an energy divided by the part that uses it. The parts are whole nJ, so that they add
// up to the total exactly.
type Breakdown struct {
	CPUStatic, CPUDynamic   units.Energy
	DRAMStatic, DRAMDynamic units.Energy
	Platform                units.Energy
}

// Total returns the sum of the parts (step 6).
func (b Breakdown) Total() units.Energy {
	return b.CPUStatic.Plus(b.CPUDynamic).Plus(b.DRAMStatic).Plus(b.DRAMDynamic).Plus(b.Platform)
}

// Plus returns the sum of b and o, part by part.
func (b Breakdown) Plus(o Breakdown) Breakdown {
	return Breakdown{
		CPUStatic: b.CPUStatic.Plus(o.CPUStatic), CPUDynamic: b.CPUDynamic.Plus(o.CPUDynamic),
		DRAMStatic: b.DRAMStatic.Plus(o.DRAMStatic), DRAMDynamic: b.DRAMDynamic.Plus(o.DRAMDynamic),
		Platform: b.Platform.Plus(o.Platform),
	}
}

// Times returns b times share, each part rounded.
func (b Breakdown) Times(share float64) Breakdown {
	of := func(e units.Energy) units.Energy { return units.Energy(math.Round(float64(e) * share)) }
	return Breakdown{
		CPUStatic: of(b.CPUStatic), CPUDynamic: of(b.CPUDynamic),
		DRAMStatic: of(b.DRAMStatic), DRAMDynamic: of(b.DRAMDynamic),
		Platform: of(b.Platform),
	}
}

// Energy returns the energy of w at w.F. Negative durations and frequencies count as zero.
//
// It says nothing about idle states: static power is drawn for all of Dur, also while no thread
// runs, as in the paper. On a machine that sleeps deeply between two bursts of work the static
// parts are therefore too high.
func (m Model) Energy(w Work) Breakdown {
	dur := max(w.Dur, 0)
	// v'/v with the parameters' own operating point as v
	v := m.Voltage(w.F) / m.Voltage(m.Reference)
	// Busy core cycles, in ns at the reference frequency: there each of them costs m.Core.
	cycles := float64(max(w.CoreBusy, 0)) * (float64(max(w.Base, 0)) / float64(m.Reference))
	return Breakdown{
		// steps 1 and 2
		CPUStatic: scaled(m.Static, v).For(dur),
		// step 3
		CPUDynamic: nearest(float64(m.Core) * float64(v*v) * cycles),
		// step 4
		DRAMStatic: m.DRAMStatic.For(dur),
		// step 5
		DRAMDynamic: nearest(float64(m.DRAMAccess) * (float64(w.DRAMReads) +
			float64(w.DRAMWrites))),
		Platform: m.Platform.For(dur),
	}
}

func scaled(p units.Power, by float64) units.Power { return units.Power(float64(p) * by) }

// nearest returns e nJ as a whole number, within the range of Energy. One ns at 1 W is 1 nJ, so For
// has the rules for it.
func nearest(e float64) units.Energy { return units.Power(e).For(1) }

// Voltage returns the core voltage at f, in V: the linear relation of Table 2's footnote.
func (m Model) Voltage(f units.Frequency) float64 {
	// The conversion keeps the product apart from the sum, so that every architecture rounds alike.
	return float64(m.VoltsPerGHz*(float64(max(f, 0))/1e9)) + m.VoltsAtZero
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
