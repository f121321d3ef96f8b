package simtest

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// PowerPart says what the machine's parts draw. All of it holds at the voltage of the highest point
// of Voltages and, for what leaks, at the temperature Heat.Reference.
//
// A core's dynamic energy is counted in events, as McPAT does: so much per instruction, so much per
// cycle of the clock, so much per access to a cache. It goes with the square of the voltage.
// Stalled cycles cost the clock's share less what clock gating saves. Static power leaks: it rises
// faster than the voltage (see Leakage) and with the die's temperature. The shared cache, the
// interconnect and the memory controller have their own supply and clock and do not follow the
// cores.
type PowerPart struct {
	Voltages []VoltagePoint // ascending in both; between two points the voltage is interpolated

	Core   CorePower
	Uncore UncorePower
	Memory MemoryPower
	Heat   Heat
}

// VoltagePoint is a core voltage at a frequency.
type VoltagePoint struct {
	Frequency units.Frequency
	Volts     float64
}

// CorePower is one core's.
type CorePower struct {
	// nJ per instruction retired, with its share of what was fetched in vain and the first-level
	// caches
	Instruction float64
	// nJ per cycle: clock tree and what switches with it, when the core is not stalled
	Cycle float64
	// share of Cycle that clock gating saves while the core is stalled behind memory
	Gated float64
	L2    float64 // nJ per access to the core's second-level cache
	// share of Cycle that a core without a thread still draws (its clock is stopped, its interrupts
	// are not)
	Idle   float64
	Static units.Power // leakage, also of an idle core: it keeps its voltage
	// SleepAfter is when an idle core is cut off its supply (C6), so that only the share Asleep of
	// its leakage is left; 0 is never.
	SleepAfter time.Duration
	Asleep     float64
	// DIBL is how the leakage current follows the voltage: it grows e-fold in 1/DIBL volts.
	DIBL float64
}

// UncorePower is what lies between the cores and the memory.
type UncorePower struct {
	// shared cache, interconnect, system agent and memory controller: leakage, clocks, bias of the
	// pins
	Static units.Power
	L3     float64 // nJ per access to the shared cache, with the way there and back
	Line   float64 // nJ per line through the memory controller
}

// Heat is the die's temperature as far as leakage depends on it.
type Heat struct {
	Ambient    float64 // what the package's lid settles at, degrees C
	Resistance float64 // K/W from there to the die
	Reference  float64 // degrees C at which leakages hold
	Fold       float64 // K for an e-fold of leakage
	Constant   float64 // s to 63 % of a change
}

// Voltage is the core voltage at f, on the straight line between the two points around it, and of
// the nearest point beyond them.
func (p *PowerPart) Voltage(f units.Frequency) float64 {
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

// top is the voltage at which the parameters hold.
func (p *PowerPart) top() float64 { return p.Voltages[len(p.Voltages)-1].Volts }

// Switching is the factor of dynamic energies at voltage v.
func (p *PowerPart) Switching(v float64) float64 { r := v / p.top(); return r * r }

// Leakage is the factor of a core's static power at voltage v.
//
// Sub-threshold current grows with the drain's voltage, because that lowers the barrier:
// exp(DIBL-coefficient * V / (n kT/q)). With 60 to 70 mV/V, a slope factor of 1.1 and 28.7 mV at 60
// degrees C that is exp(2.1 V). Power is that current times the voltage. From 1.07 V to 0.737 V it
// falls to about a third: near the cube of the voltage, where the linear rule would have it fall to
// 69 %.
func (p *PowerPart) Leakage(v float64) float64 {
	return v / p.top() * math.Exp(p.Core.DIBL*(v-p.top()))
}

func (p *PowerPart) validate(name string) error {
	if len(p.Voltages) == 0 {
		return fmt.Errorf("profile %s: no voltages", name)
	}
	for i, v := range p.Voltages {
		if v.Frequency <= 0 || !(v.Volts > 0) ||
			i > 0 && (v.Frequency <= p.Voltages[i-1].Frequency || v.Volts < p.Voltages[i-1].Volts) {
			return fmt.Errorf("profile %s: voltages do not ascend: %v", name, p.Voltages)
		}
	}
	c, u, m := p.Core, p.Uncore, p.Memory
	for _, x := range []struct {
		what string
		v    float64
	}{
		{"energy of an instruction", c.Instruction}, {"energy of a cycle", c.Cycle},
		{"share that is gated", c.Gated},
		{"energy of an L2 access", c.L2}, {"share of an idle core", c.Idle},
		{"time to sleep", float64(c.SleepAfter)}, {"share of a sleeping core", c.Asleep},
		{"core leakage", float64(c.Static)}, {"DIBL", c.DIBL},
		{"uncore power", float64(u.Static)}, {"energy of an L3 access", u.L3},
		{"energy of a line", u.Line},
		{"power-down power", float64(m.PowerDown)}, {"standby power", float64(m.Standby)},
		{"active power", float64(m.Active)},
		{"energy of an activation", m.Activate}, {"energy of a read", m.Read},
		{"energy of a write", m.Write}, {"share of row hits", m.RowHits},
		{"thermal resistance", p.Heat.Resistance},
	} {
		if !(x.v >= 0) || math.IsInf(x.v, 1) {
			return fmt.Errorf("profile %s: %s is %v, which is no amount", name, x.what, x.v)
		}
	}
	if c.Gated > 1 || c.Idle > 1 || c.Asleep > 1 || m.RowHits > 1 || m.Ranks < 1 ||
		!(p.Heat.Fold > 0) || !(p.Heat.Constant > 0) {
		return fmt.Errorf("profile %s: a share above one, no rank or no heat", name)
	}
	return nil
}
