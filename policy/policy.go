// Package policy chooses frequencies. Policy is the interface of all policies: each quantum goes
// in, a decision comes out. The package has these:
//
//   - Allotment spends a slowdown budget where a millisecond saves the most energy (ebb's default);
//   - Budget slows every quantum by what the budget allows;
//   - SystemEnergy looks for the least energy of processor, memory and platform;
//   - PaperSlowdown and PaperSixSteps are the two rules of DEP+BURST as printed (sections 6.1 and
//     6.2), to compare with and for research;
//   - Fixed keeps one frequency.
//
// They choose among predictions, neither measure nor act, and know nothing of one another. They are
// pure: the same quanta and predictions give the same decisions.
package policy

import "github.com/ebb-energy/ebb/units"

// Predictions gives the time that the quantum's work would have taken at a frequency, in ns,
// including stretches in which no thread ran. *predictor.Predictor is one. Each call may cost a
// pass over the quantum's epochs, so a policy asks for as few as it can. Durations fall with
// frequency. A model may break that here and there; a policy then still chooses a state whose own
// prediction it knows.
type Predictions interface {
	Duration(f units.Frequency) float64
}

// Policy chooses a frequency for the coming quanta. The zero value of an implementation is of no
// use: New functions below make them.
type Policy interface {
	// First is the frequency to begin with.
	First() units.Frequency
	// Decide is called at the end of each profiled quantum, in order. It keeps neither argument.
	Decide(q Quantum, p Predictions) Decision
}
