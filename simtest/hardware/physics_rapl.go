package hardware

import (
	"errors"
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// RAPL describes the behaviour of a machine's energy counters. Software sees no other trace of the
// machine's energy.
type RAPL struct {
	Zones []string // some of "package", "core", "dram", "psys"; none for a machine without RAPL
	// Platform is the power that psys counts beside processor and memory.
	Platform units.Power

	// Jitter is the longest delay until an update shows; updates are made every millisecond. It is
	// less than a millisecond.
	Jitter time.Duration
	Unit   float64 // J per count
	Bits   int     // width of the counters
	// Noise is the relative standard deviation of one update's increment. The next updates make up
	// for the error.
	Noise float64
	// Gain is the count of a zone's counter for 1 J, in J; 1 for a zone that is not in the map.
	// Estimated counters are off by some per cent.
	Gain map[string]float64
}

// zoneNames are the zones that a machine can have.
var zoneNames = []string{"package", "core", "dram", "psys"}

// Zone is one RAPL counter: its name and what its counts mean.
type Zone struct {
	Name string
	Unit float64 // J per count
	Bits int     // the counter wraps to 0 after 2^Bits - 1
}

// Between returns the energy from one reading to a later one, if the counter wrapped at most once.
func (z Zone) Between(before, after uint64) units.Energy {
	counts := (after - before) & (1<<z.Bits - 1)
	return units.Energy(math.Round(float64(counts) * z.Unit * 1e9))
}

// ErrNoZone is the error of reading a zone that the machine lacks, or lacks at that time.
var ErrNoZone = errors.New("no such energy zone")
