package policy

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Quantum is what was observed in one quantum.
type Quantum struct {
	Start     units.Instant
	Dur       time.Duration
	Delivered units.Frequency // frequency that the quantum ran at
	// Took is the time of its work at the frequency that was in effect, in ns. It is Dur where
	// requests are followed, a prediction in shadow mode, and 0 when unknown.
	Took float64
	// Highest is the progress of the program in the quantum, as time at the highest frequency, in
	// ns. It differs from the quantum's own predicted duration where threads were ahead of each
	// other when the quantum began. Summed over quanta it is the time that the run would have
	// taken. 0 stands for the predicted duration.
	Highest float64
	Busy    time.Duration // time of its epochs in which at least one thread ran; at most Dur
	// Waited is the time in which none ran, but one could and waited for a CPU or its quota; it
	// grows with the running time.
	Waited    time.Duration
	ThreadRun time.Duration // run time summed over threads
	// Instructions retired, and lines read from memory and written to it; 0 where they are not
	// counted.
	Instructions uint64
	DRAMReads    uint64
	DRAMWrites   uint64
	// Doubt is the error of past predictions for the highest frequency: the share of the predicted
	// duration that may not have been needed.
	Doubt float64
	// Own is the time that ebb itself has cost the program since the quantum before. The budget
	// pays it.
	Own time.Duration
	// Steps is the number of the grid's quanta in it; 0 stands for 1. There are several where the
	// governor rested; the decision before it ruled the whole time.
	Steps int
	Hole  bool // records were lost, or the quantum came too late to act on
}

// Idle returns the time in which no thread could run, in ns: no clock changes it.
func (q *Quantum) Idle() float64 { return max(float64(q.Dur-q.Busy-q.Waited), 0) }

// Decision is a policy's answer to a quantum.
type Decision struct {
	Frequency units.Frequency // frequency for the coming quanta
	Reason    Reason
	// Max and Chosen are the predicted durations of the quantum's work at the highest frequency and
	// at Frequency, ns; 0 when the policy did not ask.
	Max, Chosen float64
	// Slack is the excess time that the decision could count on, ns (equation 1). It is negative
	// when more was spent than the budget allows.
	Slack float64
}
