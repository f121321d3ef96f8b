package export

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Run is what a report knows of the run whose energy a page shows. An empty or nil field is not
// known, as in an older report, and the page leaves it out.
type Run struct {
	Name    string // the command's, for the title
	Command string // with its arguments
	Date    string // when it began
	Host    []string
	// ExitStatus is the command's own.
	ExitStatus *int
	// Answer is the verdict in a word or two, Verdict the sentence that begins with it.
	Answer, Verdict string
	Better          []string // what would make it better
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
	Power    []string // where the power is known from
	Energy   []string // what the savings do not say of it
	Records  *Records
	Warnings []string
	// Shadow: the frequencies of Steps were not set.
	Shadow bool
	// Steps are the decisions, in order of time.
	Steps []Step
	// Footprints are drawn; none where the page is of a part of the run.
	Footprints []Footprint
	// View names the page's own rows. A reader can switch from them to Tables; none: there is no
	// choice.
	View   string
	Tables []Table
}

// Part is what all threads together did for a time.
type Part struct {
	Name string
	Time time.Duration
	// Colour is its place in the palette, from 1.
	Colour int
}

// Slowdown is what a run lost against always the highest frequency, as shares.
type Slowdown struct {
	Goal    string   // "budget", or what was aimed at instead
	Budget  *float64 // with a budget
	ByClock float64
	// ByEbb is what ebb itself cost, Together both; nil when that was not measured.
	ByEbb, Together *float64
}

// Saving is the energy of a zone over the run, and what it would have been always at the highest
// frequency, with the ends of its 90 % interval. Of these, 0 is unknown.
type Saving struct {
	Zone, Source             string
	Used, Highest, Low, High units.Energy
}

// Records is what was lost: records, and the quanta that were decided without all of them or too
// late.
type Records struct {
	Lost        uint64
	Holes, Late int
}

// Step is the frequency that was asked for from a moment on.
type Step struct {
	At, Dur   time.Duration // At is since the program's start
	Frequency units.Frequency
}
