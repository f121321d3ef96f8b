package energy

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// CPU and Core are numbers of the kernel's. Package internal/linux/sysfs has types for them, but
// reads files.
type (
	CPU  int
	Core int
)

// Zone is a part of the machine that a meter covers.
type Zone struct {
	Name   string // the meter's name for it, such as "package-0"
	CPUs   []CPU  // the CPUs whose work can use its energy
	Source Source
	// Idle is the zone's power when none of its CPUs runs anything; 0 when it is not known.
	Idle units.Power
}

// Source says where an amount comes from. Every line of a report names it.
type Source string

const (
	Measured Source = "measured" // by a meter of the machine
	Modelled Source = "modelled" // by a power model, from the time at each frequency
	Trained  Source = "trained"  // by a power model that was trained beside a meter
	// Formula is by the processor's thermal design power (e-Surgeon, equations 4 and 5)
	Formula Source = "formula"
	// CPUTime stands where nothing says what the machine draws: amounts are then no energy, but
	// nanoseconds of the target's CPU time.
	CPUTime Source = "CPU time"
)

// Joules reports whether amounts of the source are energy.
func (s Source) Joules() bool { return s != CPUTime }

// KnowsOthers reports whether the energy is the whole machine's, that of other programs included.
// The power model of the configuration and a formula stand in for a meter with the target
// alone.
func (s Source) KnowsOthers() bool { return s != Modelled && s != Formula && s != CPUTime }

// StackID names a call stack. The ledger does not know its frames.
type StackID uint32

// NoStack is the stack of threads that were never sampled.
const NoStack StackID = 0

// Section is a part of the run's time, in one piece or several, whose energy is accounted for
// separately. The ledger does not know what it means. Section 0 is all time that nobody marked.
type Section uint16

// Slice is a stretch in which a thread ran on a CPU.
type Slice struct {
	Thread   epochs.TID
	CPU      CPU
	From, To units.Instant
	// Frequency is the CPU's; 0 when it is unknown.
	Frequency units.Frequency
}

// Sample is a running thread's stack at one moment.
type Sample struct {
	Thread epochs.TID
	At     units.Instant
	Stack  StackID
	// Frequency is the CPU's; 0 when it is unknown.
	Frequency units.Frequency
	Section   Section // the one that it was taken in; a Builder finds it
	// Period is the CPU time that it represents; 0: what the ledger was made with.
	Period time.Duration
}

// Window is the time between two readings of the meters, with all that happened in it.
type Window struct {
	From, To units.Instant
	// Used is the energy of each zone.
	Used []units.Energy
	// Idle is what each zone would have used with nothing running on its CPUs, where its meter
	// knows that for the window. Empty: each zone's own Idle holds.
	Idle    []units.Energy
	Runs    []Run
	Samples []Sample
	// Others is the time of other programs, by CPU and frequency.
	Others []Other
	// Sections are the window's sections in order of time, with their parts of its length. It may
	// be empty for a window in section 0 alone. With several sections, Runs are in order of their
	// threads.
	Sections []Stay
}

// idle returns what a zone of the window would have used with nothing running.
func (w *Window) idle(zone int, z *Zone) units.Energy {
	if zone < len(w.Idle) {
		return w.Idle[zone]
	}
	return z.Idle.For(w.Dur())
}

// Stay is a stretch of one section.
type Stay struct {
	Section Section
	Dur     time.Duration
}

// Dur returns the window's length.
func (w *Window) Dur() time.Duration { return w.To.Sub(w.From) }

// Run is a thread's time on one CPU at one frequency within a window.
type Run struct {
	Thread    epochs.TID
	CPU       CPU
	Frequency units.Frequency
	// Alone is the time in which the core's other hardware threads did nothing, Shared the rest. A
	// Builder knows the target's threads only; Window.Beside adds the others.
	Alone, Shared time.Duration
	Section       Section
	// Probed reports that the thread ran at the window's probe (see Builder).
	Probed bool
	// Last is the end of its last stretch within the window.
	Last units.Instant
}

// Time returns the sum of Alone and Shared.
func (r *Run) Time() time.Duration { return r.Alone + r.Shared }

// Other is time of other programs.
type Other struct {
	CPU       CPU
	Frequency units.Frequency
	Time      time.Duration
	Shared    time.Duration // the part with another hardware thread of the core busy
	Own       time.Duration // the part that threads of ebb's own ran
}
