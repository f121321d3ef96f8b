// Package units has the physical quantities of ebb as types, so that a kilohertz can not be taken for a hertz:
// Frequency in Hz, Energy in nJ, Power in W, Instant in ns of CLOCK_MONOTONIC, and Ratio for shares such as a slowdown.
//
// Energies are integers because they are conserved: shares of a measured energy add up to it exactly.
// People read and write them with a unit ("2.4GHz", "500mJ", "15W", "5%"); machine formats carry the base unit in
// the field's name (freq_hz, energy_nj).
package units

// Frequency is a clock frequency in Hz.
type Frequency int64

// Energy is an amount of energy in nJ. Its range is 9.2 GJ, or 213 days at 500 W.
type Energy int64

// Power is a power in W.
type Power float64

// Instant is a point of CLOCK_MONOTONIC in ns, the clock of the kernel's bpf_ktime_get_ns.
type Instant int64

// Ratio is a dimensionless share: 0.05 is 5 %.
type Ratio float64
