// Package hardware describes simulated machines: cores, caches, memory, transitions of the clock,
// counters and power, with the source of each number.
//
// A Profile holds all that distinguishes one machine from another; the engine (package simtest) has
// no number of its own. "paper" is the machine of DEP+BURST's Table 2. The other profiles have
// clocks, counters and power that make governing harder, as real machines have.
package hardware
