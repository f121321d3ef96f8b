package power

import (
	"fmt"

	"github.com/ebb-energy/ebb/units"
)

// Model holds the parameters of a machine's energy. The zero value is of no use; Table2 is the
// default. Its fields are exported because recordings and reports have them: an energy is worth
// what its parameters are.
type Model struct {
	// Name is the model's name in reports.
	Name string

	// VoltsPerGHz and VoltsAtZero give the core voltage at a frequency: V = VoltsPerGHz * f[GHz] +
	// VoltsAtZero.
	VoltsPerGHz, VoltsAtZero float64

	// Reference is the frequency at which Static and Core hold.
	Reference units.Frequency
	// Static is the static power of the whole package at Reference. It is proportional to the
	// voltage.
	Static units.Power
	// Core is the dynamic power of one busy core at Reference. The energy of a busy cycle is
	// proportional to the square of the voltage.
	Core units.Power
	// FullLoad is the package's power at Reference when all its cores are busy. Static holds for a
	// die as warm as this makes it. 0: unknown; see fullLoad.
	FullLoad units.Power

	// DRAMStatic is the memory's power without requests: standby and refresh.
	DRAMStatic units.Power
	// DRAMAccess is the energy of one request of a cache line, read or written.
	DRAMAccess units.Energy

	// Platform is the constant power of all other parts: board, fans, disks, losses of the supply.
	// 0 leaves it out.
	Platform units.Power
}

// Table2 returns the default model: a quad-core 22 nm desktop processor in the manner of Intel's
// Core i7-4770K (Haswell), which the paper models with McPAT (section 4, Table 2), with two DIMMs
// of DDR3-1600. The parameters are chosen to be plausible together. They were not measured, and
// they are not McPAT's output.
//
//   - Voltage: V = 0.11 f + 0.63, the footnote of Table 2. That is 0.74 V at 1 GHz and 1.07 V at 4
//     GHz.
//   - Static 24 W and Core 19.2 W at 4 GHz: the part's thermal design power is 84 W, at its base
//     frequency of 3.5 GHz with four busy cores. At 3.5 GHz (1.015 V) these two give 24 W *
//     1.015/1.07 + 4 * 19.2 W * 3.5/4 * (1.015/1.07)^2 = 22.8 W + 60.5 W = 83.2 W, 27 % of it
//     static: McPAT-like models of this generation have a quarter to a third. The dynamic energy
//     comes to 4.8 nJ per core cycle at 1.07 V and has the shared cache's in it.
//   - DRAMStatic 1.5 W: two DIMMs of eight devices at 1.5 V. Precharge standby draws some 30 to 40
//     mA per device, active standby 40 to 50, refresh 5 to 10 more in the mean; with register and
//     clock that is about 0.75 W a DIMM.
//   - DRAMAccess 20 nJ per 64 B: for eight devices together about 9 nJ for a row's activation and
//     precharge, 6 nJ for the burst, 5 nJ for drivers and termination. Requests that hit an open
//     row cost less, which is not modelled.
//   - Platform 0: the paper's sum is processor and memory.
func Table2() Model {
	return Model{
		Name:        "table2",
		VoltsPerGHz: 0.11, VoltsAtZero: 0.63,
		Reference: 4_000_000_000, Static: 24, Core: 19.2,
		DRAMStatic: 1.5, DRAMAccess: 20,
	}
}

// Validate returns an error that names a parameter that makes no sense.
func (m Model) Validate() error {
	for _, p := range []struct {
		what string
		v    float64
	}{
		{"volts per GHz", m.VoltsPerGHz}, {"volts at zero", m.VoltsAtZero},
		{"static power", float64(m.Static)}, {"core power", float64(m.Core)},
		{"power at full load", float64(m.FullLoad)},
		{"memory's static power", float64(m.DRAMStatic)},
		{"energy of a memory request", float64(m.DRAMAccess)},
		{"platform power", float64(m.Platform)},
	} {
		if !finite(p.v) || p.v < 0 {
			return fmt.Errorf("power model: %s is %v, which is negative or not finite", p.what, p.v)
		}
	}
	if m.Reference <= 0 {
		return fmt.Errorf("power model: reference frequency %v is not above zero", m.Reference)
	}
	if m.FullLoad != 0 && m.FullLoad < m.Static {
		return fmt.Errorf("power model: %v at full load is less than the static power of %v in it",
			m.FullLoad, m.Static)
	}
	if v := m.Voltage(m.Reference); v <= 0 {
		return fmt.Errorf("power model: voltage at %v is %v V, not above zero", m.Reference, v)
	}
	return nil
}

// staticShare is static power as a share of the power at full load, where that is not given:
// McPAT-like models of 22 nm parts have a quarter to a third.
const staticShare = 0.3

// fullLoad returns FullLoad, or an estimate from Static where that is 0.
func (m *Model) fullLoad() units.Power {
	if m.FullLoad > 0 {
		return m.FullLoad
	}
	return m.Static / staticShare
}

// BusyCores returns the number of cores whose dynamic power makes up FullLoad beyond Static, at
// least 1.
func (m *Model) BusyCores() float64 {
	if m.Core <= 0 {
		return 1
	}
	return max(float64((m.fullLoad()-m.Static)/m.Core), 1)
}
