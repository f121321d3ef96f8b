package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Sample is a controller's view of the machine. Totals are since the program began.
type Sample struct {
	At           units.Instant
	Frequency    units.Frequency // present clock
	Busy         []time.Duration // total of each core
	Cycles       float64         // total of all cores, counted while busy
	Instructions float64         // total of all cores
	Lines        float64         // total that memory read and wrote
	Energy       units.Energy    // total of processor and memory, as the meters show it
}

// Controller is a governor.
type Controller interface {
	Name() string
	// Initial is the frequency that the governor has left an idle machine at, before the program
	// begins.
	Initial() units.Frequency
	// Period is the time between two samples.
	Period() time.Duration
	// Sample is called once each period, first when the program begins. If ok, f is requested.
	Sample(s *Sample) (f units.Frequency, ok bool)
}

// Domain describes the CPUs of a cpufreq policy.
type Domain struct {
	Table Table
	Cores int
	// Delay is the least time that the driver wants between two changes
	// (cpufreq_policy_transition_delay_us).
	Delay time.Duration
}

// Tick is the period of the scheduler's tick: CONFIG_HZ=250, the default of most distributions.
const Tick = 4 * time.Millisecond
