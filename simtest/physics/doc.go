// Package physics is the electrical side of a simulated machine: the voltage of each frequency,
// what switches and what leaks, the die's temperature, DRAM's states, and the energy counters that
// software reads.
//
// It knows no program and no scheduler. The engine (package simtest) reports what each core did in
// an Interval; a Meter turns it into Energy, and Counters show that energy as RAPL does, with its
// unit, its updates once a millisecond, its noise and its faults. No formula here is shared with
// the governor's power model (package predictor/power), because that model must be able to be
// wrong.
package physics
