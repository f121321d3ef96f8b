package bench

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Source is the origin of an energy. It stands beside every figure.
type Source string

const (
	// Measured: read from the machine's energy counters.
	Measured Source = "measured by RAPL"
	// Modelled: computed from time, run time and the frequency that was asked for.
	Modelled Source = "modelled"
	// Reference: computed likewise, by the default power model, which is of no machine in
	// particular: its changes are shown in percent, and no joules.
	Reference Source = "reference processor"
	// Simulated: what the simulated machine drew, known exactly.
	Simulated Source = "simulated"
	// Unknown: there is none. Without a meter nobody knows what the kernel's own choice of
	// frequency took.
	Unknown Source = "unknown"
)

// Meter measures what a machine draws during a run. The energy of a machine without one comes from
// a power model.
type Meter interface {
	// Begin is called right before the program starts.
	Begin() error
	// End is called right after it has ended, and returns what was drawn since Begin, zone by zone.
	End() ([]Zone, error)
	// Source is the origin of the figures.
	Source() Source
}

// The zones that ebb distinguishes; a machine may have others.
const (
	Processor = "processor" // package: cores and what they share
	Memory    = "memory"
	Platform  = "platform" // everything else
)

// Zone is the energy of one part of the machine over a run.
type Zone struct {
	Name   string
	Energy units.Energy
}

// Measurement is the result of one run.
type Measurement struct {
	Wall   time.Duration // time from the program's first instruction to its end
	CPU    time.Duration // run time of all its threads
	Zones  []Zone
	Source Source
	// Trouble names a disturbance of the run: a request that was capped, another program's
	// interference.
	Trouble string
}

// Energy returns the sum of the zones with these names, or of all zones without names. It returns
// false when no such zone exists.
func (m *Measurement) Energy(zones ...string) (units.Energy, bool) {
	var sum units.Energy
	found := false
	for _, z := range m.Zones {
		if len(zones) == 0 || slices.Contains(zones, z.Name) {
			sum, found = sum.Plus(z.Energy), true
		}
	}
	return sum, found && m.Source != Unknown
}

// Sample is one finished run of a plan.
type Sample struct {
	Round   int // number of the round, from 1
	Setting int // index in the plan's settings
	Measurement
}
