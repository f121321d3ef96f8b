package governor

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/coalesce"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// EventKind says what an Event reports.
type EventKind uint8

const (
	// Begin: the target's time starts at At. Frequency is the machine's clock.
	Begin EventKind = iota + 1
	// Sched: an action of the scheduler, in Sched.
	Sched
	// Applied: a SetFrequency or Insist action took effect at At. Frequency is the delivered clock,
	// which may differ from the request. If the action had no effect, Refusal says why.
	Applied
	// End: the target's time ended at At.
	End
	// Metered: from Begin to At the machine used the energies Package, which includes Cores, and
	// DRAM.
	Metered
	// Traffic: from Begin to At the whole machine read Reads lines of 64 bytes from memory and
	// wrote Writes.
	Traffic
	// Ending: at At the target was asked to end. Until it does, it runs at the highest frequency.
	Ending
	// Overhead: from Begin to At the governor's own work held up the program for Displaced, and
	// its tracing ran for Traced within the time of the program's threads.
	Overhead
	// Sampled: at At a sample found Thread in Function, where its registers had gone on by Advance.
	// It comes before the tick that confirms At.
	Sampled
	// Held: from At on the clock is Frequency or on its way there. Another tenant asked for it, and
	// it is above what this governor asks for. A Frequency of 0: no longer.
	Held
)

// Event is one input of the core.
type Event struct {
	Kind      EventKind
	At        units.Instant // time of all kinds but Sched, which has its own
	Frequency units.Frequency
	Refusal   string
	Sched     epochs.Event

	Tenant arbiter.Tenant // tenant concerned (a Sched event has its own); 0: everybody
	Domain arbiter.Domain // Applied: the domain that runs at Frequency

	Package, Cores, DRAM units.Energy // Metered; Cores and DRAM are 0 where they have no meter

	Reads, Writes uint64 // Traffic

	Displaced, Traced time.Duration // Overhead; summed over CPUs

	Thread   epochs.TID                 // Sampled
	Function sensitivity.FunctionNumber // Sampled; number in Config.Functions
	Advance  sensitivity.Advance        // Sampled; advance of the thread's registers
}

// ActionKind says what an Action asks for.
type ActionKind uint8

const (
	// SetFrequency asks the machine to run at Frequency.
	SetFrequency ActionKind = iota + 1
	// Decided asks for nothing: it reports a quantum's values and the decision.
	Decided
	// Unheeded asks for nothing: requests do nothing. The counted clock is Frequency, and the one
	// that the machine reports is Reported. With Heeded the two agree again, also where insisting
	// was enough.
	Unheeded
	Heeded
	// Limited asks for nothing: a limit that the machine does not report holds the clock at
	// Frequency. Reported is the clock that it reports.
	Limited
	// Insist asks the machine once more for Frequency, at which it reports to run: for By first, so
	// that the request is not dropped as one that changes nothing. The result is an Applied event.
	Insist
	// Rest lets the machine be silent until Rest.Until, while the program stays within Rest.Within.
	// A machine that cannot check that, or need not be silent, goes on as ever.
	Rest
)

// Action is one output of the core.
type Action struct {
	Kind      ActionKind
	Frequency units.Frequency // clock of all kinds but Decided and Rest
	Reported  units.Frequency // Unheeded, Heeded, Limited
	By        units.Frequency // Insist
	Quantum   Quantum         // Decided
	Rest      Silence         // Rest

	Tenant arbiter.Tenant // tenant whose governor acts, or whose wish a SetFrequency is
	Domain arbiter.Domain // SetFrequency, Insist: the domain to run at Frequency
}

// Silence is a rest of the governor's. From one point of the grid to the next the program's work is
// checked against Within. At the first point where it is not within them, and at Until at the
// latest, a tick comes. Any tick at the point behind From, or later, ends the rest.
type Silence struct {
	From, Until units.Instant
	Within      coalesce.Bounds
}
