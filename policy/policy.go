// Package policy chooses a frequency from predicted durations. It is pure: the same quanta and
// predictions give the same decisions.
package policy

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Predicted answers how long the quantum's work would have taken at a frequency, in ns, stretches
// included in which no thread ran. *predictor.Predictor is one. Each call may cost a pass over the
// quantum's epochs, so a policy asks as little as it can: durations fall with frequency, and where
// a model's do not quite, a choice is still one that was asked for.
type Predicted interface {
	Duration(f units.Frequency) float64
}

// Quantum is what was observed of one quantum.
type Quantum struct {
	Start     units.Instant
	Dur       time.Duration
	Delivered units.Frequency // the frequency it ran at
	// Took is how long its work took at the frequency that was in effect, in ns: Dur where requests
	// are followed, a prediction in shadow mode. 0 when it is not known.
	Took float64
	// Highest is by how much its work moves the program on at the highest frequency, in ns, where
	// threads were ahead of each other when it began: summed over quanta, how long the run would
	// have taken. 0 is what is predicted of the quantum alone.
	Highest   float64
	Busy      time.Duration // time of its epochs in which at least one thread ran
	ThreadRun time.Duration // run time summed over threads
	// Instructions retired, and lines read from memory and written to it, when they are counted;
	// else 0.
	Instructions uint64
	DRAMReads    uint64
	DRAMWrites   uint64
	// Doubt is by how much its predicted duration at the highest frequency may be too long, as a
	// share of it: the error of past predictions.
	Doubt float64
	Hole  bool // records were lost, or the quantum came too late to act on
}

// Decision is what a policy makes of a quantum.
type Decision struct {
	Frequency units.Frequency // for the coming quanta
	Reason    Reason
	// Max and Chosen are the predicted durations of the quantum's work at the highest frequency and
	// at Frequency, ns; 0 when the policy did not ask.
	Max, Chosen float64
	// Slack is the excess time that the decision could count on, ns (equation 1). It is negative
	// when more was spent than the budget allows.
	Slack float64
}

// Policy decides at the end of each profiled quantum.
type Policy interface {
	Decide(q Quantum, p Predicted) Decision
}
