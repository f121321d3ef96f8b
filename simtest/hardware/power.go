package hardware

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Power holds the power of a machine's parts. All values hold at the voltage of the highest point
// of Voltages; leakages hold at the temperature Heat.Reference.
//
// A core's dynamic energy is counted in events, as McPAT counts it: per instruction, per cycle of
// the clock, per access to a cache. It follows the square of the voltage. Clock gating saves a
// share of a stalled cycle's energy. Static power is leakage: it rises faster than the voltage (see
// Leakage) and with the die's temperature. The shared cache, the interconnect and the memory
// controller have a supply and a clock of their own and do not follow the cores.
type Power struct {
	Voltages []VoltagePoint // ascending in both; straight lines between two points

	Core   CorePower
	Uncore UncorePower
	Memory MemoryPower
	Heat   Heat

	// Kinds is the standard deviation of what kinds of work differ in, ln of the energy of an
	// instruction: operands and units that no counter shows. KindSeed draws it. See Kind.
	Kinds    float64
	KindSeed uint64
}

// Kind returns the energy of an instruction of the named kind of work beyond the usual, as a share
// of it.
func (p *Power) Kind(name string) float64 {
	if p.Kinds == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(p.KindSeed, h.Sum64()))
	return math.Exp(p.Kinds*rng.NormFloat64()) - 1
}

// VoltagePoint is a core voltage at a frequency.
type VoltagePoint struct {
	Frequency units.Frequency
	Volts     float64
}

// CorePower is the power of one core.
type CorePower struct {
	// Instruction is the energy of a retired instruction, nJ. It includes the first-level caches
	// and a share of the instructions that were fetched in vain.
	Instruction float64
	// Cycle is the energy of a cycle, nJ: the clock tree and what switches with it while the core
	// does not stall.
	Cycle  float64
	Gated  float64 // share of Cycle that clock gating saves while the core stalls behind memory
	L2     float64 // nJ per access to the core's second-level cache
	Idle   float64 // share of Cycle that a core without a thread draws: interrupts stay on
	Static units.Power
	// SleepAfter is the idle time after which a core is power-gated (C6). It then leaks the share
	// Asleep of Static. 0 means never: an idle core keeps its voltage.
	SleepAfter time.Duration
	Asleep     float64
	// Wake is the energy of each return from there, nJ: the caches were flushed, and fill again.
	Wake float64
	// DIBL is the rate at which the leakage current follows the voltage: 1/DIBL volts multiply it
	// by e.
	DIBL float64
}

// UncorePower is the power of the parts between the cores and the memory.
type UncorePower struct {
	// Static is constant: leakage, clocks and the pins' bias of the shared cache, the interconnect,
	// the system agent and the memory controller.
	Static units.Power
	// SleepAfter is the time after which the package sleeps (PC6) when every core is idle. It then
	// draws the share Asleep of Static, and Wake, in nJ, for each return. 0 means never.
	SleepAfter time.Duration
	Asleep     float64
	Wake       float64
	L3         float64 // nJ per access to the shared cache, with the way there and back
	Line       float64 // nJ per line through the memory controller
	// Ceiling is the most that traffic draws: buffers and links that are awake for one access serve
	// the next one for less. 0 is none, and each access costs the same.
	Ceiling units.Power
}

// traffic returns the power of traffic that would draw watts if each access cost the same.
func (u *UncorePower) traffic(watts float64) float64 {
	if u.Ceiling <= 0 {
		return watts
	}
	most := float64(u.Ceiling)
	return most * (1 - math.Exp(-watts/most))
}

// Voltage returns the core voltage at f, on the straight line between the two points around f.
// Outside the points it is the nearest point's.
func (p *Power) Voltage(f units.Frequency) float64 {
	v := p.Voltages
	if f <= v[0].Frequency {
		return v[0].Volts
	}
	for i := 1; i < len(v); i++ {
		if f <= v[i].Frequency {
			share := float64(f-v[i-1].Frequency) / float64(v[i].Frequency-v[i-1].Frequency)
			return v[i-1].Volts + share*(v[i].Volts-v[i-1].Volts)
		}
	}
	return v[len(v)-1].Volts
}

// top returns the voltage at which the parameters hold.
func (p *Power) top() float64 { return p.Voltages[len(p.Voltages)-1].Volts }

// Switching returns the factor of dynamic energy at voltage v.
func (p *Power) Switching(v float64) float64 { r := v / p.top(); return r * r }

// Leakage returns the factor of a core's static power at voltage v.
//
// Sub-threshold current grows with the drain's voltage, which lowers the barrier:
// exp(DIBL-coefficient * V / (n kT/q)). 60 to 70 mV/V, a slope factor of 1.1 and 28.7 mV at 60
// degrees C give exp(2.1 V). Power is that current times the voltage. From 1.07 V to 0.737 V it
// falls to about a third: near the cube of the voltage. A linear rule would give 69 %.
func (p *Power) Leakage(v float64) float64 {
	return v / p.top() * math.Exp(p.Core.DIBL*(v-p.top()))
}
