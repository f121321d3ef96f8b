package governor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// EventKind says what an Event tells.
type EventKind uint8

const (
	// Begin: the target's time starts at At. Frequency is what the machine runs at.
	Begin EventKind = iota + 1
	// Sched: something the scheduler did, in Sched.
	Sched
	// Applied: a SetFrequency action took effect at At; Frequency is what was delivered, which may
	// differ from what was asked for. Refusal says why not, when it did not.
	Applied
	// End: the target's time ended at At.
	End
	// Metered: up to At the machine has used Package, of it Cores, and DRAM, since Begin.
	Metered
	// Traffic: up to At the whole machine has read Reads lines of 64 bytes from memory and written
	// Writes, since Begin.
	Traffic
	// Ending: at At the target was asked to end. What it does until it does so runs at the highest
	// frequency.
	Ending
)

// Event is one input of the core.
type Event struct {
	Kind      EventKind
	At        units.Instant // all but Sched; a Sched event has its own
	Frequency units.Frequency
	Refusal   string
	Sched     epochs.Event

	Package, Cores, DRAM units.Energy // Metered; Cores and DRAM are 0 where they have no meter

	Reads, Writes uint64 // Traffic
}

// ActionKind says what an Action asks for.
type ActionKind uint8

const (
	// SetFrequency asks the machine to run at Frequency.
	SetFrequency ActionKind = iota + 1
	// Decided asks for nothing: it tells what was found in a quantum, and what was decided.
	Decided
	// Unheeded asks for nothing: it tells that the clock that is counted is Frequency, where the
	// machine says Told, because requests do nothing. Heeded tells that they agree again, also
	// where it took no more than to insist.
	Unheeded
	Heeded
	// Limited asks for nothing: it tells that something limits the clock, of which the machine does
	// not say. Frequency was counted while it said Told.
	Limited
	// Insist asks the machine once more to run at Frequency, which it says it does: for By first,
	// so that the request is not dropped as one that changes nothing. What comes of it is an
	// Applied event.
	Insist
)

// Action is one output of the core.
type Action struct {
	Kind      ActionKind
	Frequency units.Frequency // all but Decided
	Told      units.Frequency // Unheeded, Heeded, Limited
	By        units.Frequency // Insist
	Quantum   Quantum         // Decided
}
