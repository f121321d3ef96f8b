package eval

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// spec is everything that determines a run. Equal specs give equal runs, so each is made once.
type spec struct {
	Profile  string
	Cores    int // number of cores; 0 for the profile's
	Workload string
	Threads  int // application threads; 0 for the workload's own
	Seed     uint64
	Effect   time.Duration // time from a request to the clock; 0 for the profile's
	Control  control
	// Several is the length of the programs of the seed's case of several tenants; 0 for one
	// program. The case stands for all of the above but the seed.
	Several time.Duration
	Predict bool // also predict the run's time at the paper's frequencies, by every model
}

// control is the choice of the frequency: the controller and its settings.
type control struct {
	By        controller
	Frequency units.Frequency // for Static
	Slowdown  units.Slowdown  // for Printed, Ebb, StaticBest, Oracle; 0 with SystemEnergy
	// System says that the objective is the system's energy, not the processor's within a budget.
	System   bool
	NoExcess bool // for Printed: unused time is not carried on
	// Quantum is for Printed and Ebb; 0 is chosen by the machine's latency, and the hold-off too.
	Quantum time.Duration
	HoldOff int // for Printed, Ebb
	// Model is the model by which Printed predicts; "" is the paper's DEP+BURST.
	Model string
	// Accounts has Printed decide by what happened. Within a budget its account then has the
	// measured time (policy.Even). For system energy it learns the energy from the meters.
	Accounts bool
}

// controller is a controller's name.
type controller string

// The controllers. Those of package baseline go by its names.
const (
	Static   controller = "static"   // nobody: always Control.Frequency
	Printed  controller = "printed"  // the paper's energy manager: DEP+BURST, equation 1
	Ebb      controller = "ebb"      // package governor with its defaults
	Oracle   controller = "oracle"   // the best schedule known afterwards
	Informed controller = "informed" // ebb's first frequency for a quantum, then the static optimum
	EAR      controller = "ear"      // baseline.EAR, with its model learned on the machine
)

// String returns a text for error messages.
func (s spec) String() string {
	c := s.Control
	text := fmt.Sprintf("%s on %s, seed %d, %s", s.Workload, s.Profile, s.Seed, c.By)
	if c.By == Static {
		text += " " + c.Frequency.String()
	}
	if c.Slowdown > 0 {
		text += fmt.Sprintf(" %v", c.Slowdown)
	}
	return text
}

const (
	mhz = units.Frequency(1_000_000)
	ghz = units.Frequency(1_000_000_000)
	ms  = time.Millisecond
)

// Names of series that several figures have.
const (
	seriesEbb      = "ebb"
	seriesPrinted  = "as printed"
	seriesStatic   = "Static-Opt"
	seriesOracle   = "dynamic oracle"
	seriesInformed = "Static-Opt after a quantum"
	aheadOfStatic  = " ahead of Static-Opt"
	seriesLowest   = "1 GHz"
	seriesHighest  = "4 GHz"
)
