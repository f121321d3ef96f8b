// Package units has the physical quantities of ebb as types, so that a kilohertz cannot be taken
// for a hertz: Frequency in Hz, Energy in nJ, Power in W, Instant in ns of CLOCK_MONOTONIC, and
// Ratio for shares such as a slowdown.
//
// Energies are integers because they are conserved: shares of a measured energy add up to it
// exactly. People read and write quantities with a unit ("2.4GHz", "500mJ", "15W", "5%"); machine
// formats carry the base unit in the field's name (freq_hz, energy_nj).
//
// Frequency, Energy, Power and Ratio are read from text by UnmarshalText, which TOML and JSON use,
// and by Set, which makes a pointer to them a command-line flag. A number without a unit is
// refused: it could mean anything. MarshalText is exact, UnmarshalText gives back the same value.
// String is for people; for Energy and Power it rounds.
package units
