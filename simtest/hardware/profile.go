package hardware

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Profile is one machine. All its cores are one frequency domain.
type Profile struct {
	Name string // name in commands and results
	What string // description in one line, for people

	Cores  int               // 1 to MaxCores
	States []units.Frequency // the machine's frequencies, ascending

	SMT SMT // hardware threads, of a machine with two on a core

	// Core. Cycles are of the core's clock.
	ROB           float64 // entries of the reorder buffer
	LookupCycles  float64 // until the core knows that its own caches miss
	StoreEntries  float64 // number of entries of the store queue
	StoreParallel float64 // lines that stores have in flight at most
	MissParallel  float64 // loads that a core has in flight at most

	// Beyond the core, in ns.
	L3Ns           float64 // time of a hit in the shared cache, without the core's lookup
	DRAMNs         float64 // time that memory adds to L3Ns when idle
	LineNs         float64 // memory's time per line: 64 B at full bandwidth
	TransferNs     float64 // fixed part of the time of a line from another core's cache
	TransferCycles float64 // part of that time in the other core's clock, cycles

	// Kernel.
	SwitchCycles float64       // switching a core's thread
	FutexCycles  float64       // going to sleep in a futex, up to the switch
	WakeCycles   float64       // waking a thread, for the waker
	WakeLatency  time.Duration // time from the wake until an idle core runs the thread
	MigrateNs    float64       // refilling a core's caches after a migration
	TimeSlice    time.Duration // time slice of threads that share a core
	LockCycles   float64       // taking or leaving a free lock

	Transition Transition
	Counters   PMU
	Power      Power
	RAPL       RAPL
}

// MaxCores is the most cores that a profile has: the paper's scaling study ends at eight (Figure
// 5).
const MaxCores = 8

// LineBytes is the size of one access to memory.
const LineBytes = 64

// Bandwidth returns the memory's highest throughput, in bytes per second.
func (p *Profile) Bandwidth() float64 { return LineBytes / p.LineNs * 1e9 }

// Highest returns the highest state.
func (p *Profile) Highest() units.Frequency { return p.States[len(p.States)-1] }

// Lowest returns the lowest state.
func (p *Profile) Lowest() units.Frequency { return p.States[0] }

// Offers reports whether f is a state of the machine.
func (p *Profile) Offers(f units.Frequency) bool {
	_, ok := slices.BinarySearch(p.States, f)
	return ok
}

// WithCores returns the same machine with n cores. The shared cache and the memory's bandwidth grow
// with them, as in the paper's scaling study (1 MB and 3 GB/s per core). So do the power beyond the
// cores, the memory's ranks, and the area that conducts the heat away.
func (p Profile) WithCores(n int) Profile {
	if n == p.Cores {
		return p
	}
	by := float64(n) / float64(p.Cores)
	p.Cores = n
	p.LineNs /= by
	p.Power.Uncore.Static = units.Power(float64(p.Power.Uncore.Static) * by)
	p.Power.Memory.Ranks = max(1, int(math.Round(float64(p.Power.Memory.Ranks)*by)))
	p.Power.Heat.Resistance /= by
	return p
}

// WithStep returns the same machine with states every step from its lowest up, and its highest.
func (p Profile) WithStep(step units.Frequency) Profile {
	p.States = steps(p.Lowest(), p.Highest(), step)
	return p
}

// steps returns the frequencies from lo to hi; hi is always one of them.
func steps(lo, hi, step units.Frequency) []units.Frequency {
	var s []units.Frequency
	for f := lo; f < hi; f += step {
		s = append(s, f)
	}
	return append(s, hi)
}
