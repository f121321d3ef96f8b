// Package policy chooses a frequency from predicted durations. It is pure: the same quantum and predictions give the
// same decision.
package policy

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Predicted answers how long the quantum's work would have taken at a frequency, in ns. *predictor.Predictor is one.
// Each call may cost a pass over the quantum's epochs, so a policy asks as little as it can: durations fall
// monotonically with frequency.
type Predicted interface {
	Duration(f units.Frequency) float64
}

// Quantum is what was observed of one quantum.
type Quantum struct {
	Start     units.Instant
	Dur       time.Duration
	Delivered units.Frequency // the frequency it ran at
	Busy      time.Duration   // time of its epochs in which at least one thread ran
	ThreadRun time.Duration   // run time summed over threads
	DRAMReads uint64          // memory requests counted, when they are
	Hole      bool            // records were lost, or the quantum came too late to act on
}

// Decision is what a policy makes of a quantum.
type Decision struct {
	Frequency units.Frequency // for the coming quanta
	Reason    Reason
	// Max and Chosen are the predicted durations of the quantum's work at the highest frequency and at Frequency, ns.
	Max, Chosen float64
	// Slack is the excess time carried to the next decision, ns (equation 1); may be negative.
	Slack float64
}

// Reason says in one word why a frequency was chosen; it stands in the report.
type Reason string

// Policy decides at the end of each profiled quantum.
type Policy interface {
	Decide(q Quantum, p Predicted) Decision
}
