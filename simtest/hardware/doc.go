// Package hardware describes simulated machines: cores, caches, memory, transitions of the clock,
// counters and power, with the source of each number.
//
// A Profile holds all that distinguishes one machine from another; the engine (package simtest) has
// no number of its own. "paper" is the machine of DEP+BURST's Table 2. The other profiles have
// clocks, counters and power that make governing harder, as real machines have.
//
// # Electricity
//
// The electrical side is the voltage of each frequency, what switches and what leaks, the die's
// temperature, DRAM's states, and the energy counters that software reads. It knows no program and
// no scheduler. The engine reports what each core did in an Interval; a Meter turns it into Energy,
// and Counters show that energy as RAPL does, with its unit, its updates once a millisecond, its
// noise and its faults. No formula here is shared with the governor's power model (package
// predictor/power), because that model must be able to be wrong.
//
// # Faults
//
// A FaultPlan has the faults of a machine, and their times: refused, ignored and late frequency
// requests, thermal caps, cores that go offline, lost records, counters that cannot be read, and
// energy counters that misbehave. Its functions decide; the engine and the energy counters act on
// them, and the checks of package simtest/campaign know what to expect. Random faults are drawn
// from the caller's generator, and only if they can happen: a plan without faults draws nothing.
package hardware
