package epochs

// Ticks is time in the unit of the epochs' source, which knows that unit. A tracer counts ns: its
// moments are those of CLOCK_MONOTONIC and convert to a units.Instant, its lengths to a
// time.Duration. The table of a simulator has ps from the run's beginning. Whoever reads a table
// gets the unit from its header.
type Ticks int64

// TimeUnit is the unit of Ticks.
type TimeUnit string

// A tracer measures in ns, a simulator can measure in ps.
const (
	Nanosecond TimeUnit = "ns"
	Picosecond TimeUnit = "ps"
)

// PerNs returns the number of units in a nanosecond.
func (u TimeUnit) PerNs() int64 {
	if u == Picosecond {
		return 1000
	}
	return 1
}
