package export

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Run is a report's knowledge of the run whose energy a page shows. An empty or nil field is not
// known, as in an older report, and the page leaves it out.
type Run struct {
	Name    string // name of the command, for the title
	Command string // the command with its arguments
	Date    string // begin of the run
	Host    []string
	// ExitStatus is the exit status of the command.
	ExitStatus *int
	// Answer is the verdict in a word or two. Verdict is the sentence that begins with it.
	Answer, Verdict string
	Better          []string // advice on what would make it better
	Clock           []string // how the clock was set
	Wall            time.Duration
	// Idle is the share of the profiled time without a running thread; nil when it is not known.
	Idle *float64
	// Short: the run is too short for shares of its time.
	Short bool
	// Threads are the parts of all threads' time.
	Threads  []Part
	Slowdown *Slowdown
	Savings  []Saving
	Power    []string // sources of the power
	Energy   []string // limits of what the savings say
	Records  *Records
	Warnings []string
	// Shadow reports that the frequencies of Steps were not set.
	Shadow bool
	// Steps are the decisions, in order of time.
	Steps []Step
	// Footprints are drawn; none where the page shows only a part of the run.
	Footprints []Footprint
	// View names the page's own rows. A reader can switch from them to Tables. It is empty without
	// a choice.
	View   string
	Tables []Table
}

// Part is a share of the threads' time, spent in one way.
type Part struct {
	Name string
	Time time.Duration
	// Colour is its number in the palette, from 1.
	Colour int
}

// Slowdown is the run's loss against always the highest frequency, as shares.
type Slowdown struct {
	Goal    string   // "budget", or the objective in its place
	Budget  *float64 // nil without a budget
	ByClock float64
	// ByEbb is the share that ebb itself cost, Together the whole loss; nil when not measured.
	ByEbb, Together *float64
}

// Saving is the energy of a zone over the run, and the energy that it would have used at always the
// highest frequency, with the ends of its 90 % interval. 0 is unknown in these three.
type Saving struct {
	Zone, Source             string
	Used, Highest, Low, High units.Energy
}

// Records counts the losses: lost records, and the quanta that were decided without all of their
// records or too late.
type Records struct {
	Lost        uint64
	Holes, Late int
}

// Step is the frequency that was requested from a moment on.
type Step struct {
	At, Dur   time.Duration // At is the time since the program's start
	Frequency units.Frequency
}
