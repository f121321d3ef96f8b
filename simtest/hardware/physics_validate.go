package hardware

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Validate reports why the parameters of the machine called name make no sense, if they do not.
func (p *Power) Validate(name string) error {
	if len(p.Voltages) == 0 {
		return fmt.Errorf("profile %s: no voltages", name)
	}
	for i, v := range p.Voltages {
		if v.Frequency <= 0 || !(v.Volts > 0) ||
			i > 0 && (v.Frequency <= p.Voltages[i-1].Frequency || v.Volts < p.Voltages[i-1].Volts) {
			return fmt.Errorf("profile %s: voltages do not ascend: %v", name, p.Voltages)
		}
	}
	for _, x := range p.amounts() {
		if !(x.v >= 0) || math.IsInf(x.v, 1) {
			return fmt.Errorf("profile %s: %s is %v: it must be finite and not negative", name,
				x.what, x.v)
		}
	}
	c := p.Core
	if c.Gated > 1 || c.Idle > 1 || c.Asleep > 1 || p.Uncore.Asleep > 1 || p.Memory.RowHits > 1 ||
		p.Memory.Ranks < 1 || !(p.Heat.Fold > 0) || !(p.Heat.Constant > 0) {
		return fmt.Errorf("profile %s: a share above one, no rank or no heat", name)
	}
	return nil
}

// amount is a parameter that must not be negative.
type amount struct {
	what string
	v    float64
}

func (p *Power) amounts() []amount {
	c, u, m := p.Core, p.Uncore, p.Memory
	return []amount{
		{"energy of an instruction", c.Instruction},
		{"energy of a cycle", c.Cycle},
		{"share that is gated", c.Gated},
		{"energy of an L2 access", c.L2},
		{"share of an idle core", c.Idle},
		{"time to sleep", float64(c.SleepAfter)},
		{"share of a sleeping core", c.Asleep},
		{"energy of a core's wake", c.Wake},
		{"core leakage", float64(c.Static)},
		{"DIBL", c.DIBL},
		{"uncore power", float64(u.Static)},
		{"time to the package's sleep", float64(u.SleepAfter)},
		{"share of a sleeping package", u.Asleep},
		{"energy of the package's wake", u.Wake},
		{"energy of an L3 access", u.L3},
		{"energy of a line", u.Line},
		{"most power of traffic", float64(u.Ceiling)},
		{"spread of kinds", p.Kinds},
		{"power-down power", float64(m.PowerDown)},
		{"standby power", float64(m.Standby)},
		{"active power", float64(m.Active)},
		{"energy of an activation", m.Activate},
		{"energy of a read", m.Read},
		{"energy of a write", m.Write},
		{"share of row hits", m.RowHits},
		{"thermal resistance", p.Heat.Resistance},
	}
}

// Validate reports why the counters of the machine called name make no sense, if they do not.
func (p *RAPL) Validate(name string) error {
	if len(p.Zones) == 0 {
		return nil
	}
	for _, z := range p.Zones {
		if !slices.Contains(zoneNames, z) {
			return fmt.Errorf("profile %s: no energy zone %q", name, z)
		}
	}
	if p.Jitter < 0 || p.Jitter >= time.Millisecond || !(p.Unit > 0) || p.Bits < 1 || p.Bits > 63 ||
		!(p.Noise >= 0) || p.Platform < 0 {
		return fmt.Errorf("profile %s: energy counters that make no sense: %+v", name, *p)
	}
	return nil
}
