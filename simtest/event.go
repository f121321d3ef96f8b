package simtest

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// EventKind distinguishes events.
type EventKind uint8

const (
	// Begin: the program starts at At; Frequency is the clock.
	Begin EventKind = iota + 1
	// Sched: the scheduler's record in Sched.
	Sched
	// Clock: from At on the computer runs at Frequency. It is the outcome of a request, a step of a
	// ramp, or the effect of a thermal cap. Refusal says why a request was refused; the clock is
	// then unchanged.
	Clock
	// Sample: a multiple of Options.Sample has passed; Computer.Usage reports what was used so far.
	Sample
	// End: the program ended at At.
	End
)

// Event is one thing that happened on the computer.
type Event struct {
	Kind      EventKind
	At        units.Instant
	Frequency units.Frequency // Begin, Clock
	Refusal   string          // Clock
	Sched     epochs.Event    // Sched
}
