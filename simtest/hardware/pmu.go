package hardware

import "github.com/ebb-energy/ebb/hpc"

// PMU is the counters that the machine offers, by their names in slices, and how they can be read.
type PMU struct {
	// Exact: the counters of all cores can be read at the same instant, so the end of an epoch cuts
	// the slices of threads on other cores exactly. Simulators can do that. On a real machine only
	// the core itself reads its counters cheaply, and a timer closes slices.
	Exact bool
	// Names of the counters; nil is everything that the simulation can count.
	Names []string
}

// intelCounters are the counters of the performance monitoring units of Intel's cores since Haswell
// (CYCLE_ACTIVITY, OFFCORE_REQUESTS_OUTSTANDING and RESOURCE_STALLS). They bracket the non-scaling
// time; none of them equals it.
var intelCounters = []string{
	hpc.Cycles, hpc.Instructions, hpc.StallLo, hpc.OccHi, hpc.StoreFull, hpc.StoreRFO,
	hpc.OccMemory,
}
