package simtest

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

const maxCounters = epochs.MaxCounters

// quantity is something that a core counts. Times are in ns of the thread's running time.
type quantity int

const (
	qCycles quantity = iota
	qReference
	qInstructions
	qStallOff // nothing retires behind an unfinished load that left the core
	qStallDRAM
	qLeadOff
	qLeadOffX
	qLeadDRAM
	qLeadDRAMX
	qCritOff
	qCritOffX
	qCritDRAM
	qCritDRAMX
	qStoreFull
	qStoreBlocked
	qStoreOff
	qStoreNoLoad
	qDrain
	qDrainOff
	qEmpty
	qFetchOff
	qOccupiedOff
	qOccupiedDRAM
	qOwnOff
	qOwnDRAM
	qLoadsOff
	qLoadsDRAM
	qStoresOff
	qStoresDRAM
	qReads
	qWrites
	qStallLoCycles
	qOccupiedHiCycles
	qOccupiedDRAMCycles
	qStoreFullCycles
	qStoreOwnCycles
	quantities
)

// counterNames are the quantities' names among estimators and hosts: those of a cycle-level
// simulator's epoch tables, in ns, and those of performance monitoring units, in cycles.
var counterNames = []struct {
	name string
	q    quantity
}{
	{"cycles", qCycles}, {"instructions", qInstructions}, {"insts", qInstructions},
	{"aperf", qCycles}, {"mperf", qReference}, {"tsc", qReference},
	{"stall_off", qStallOff}, {"stall_dram", qStallDRAM},
	{"ll_off", qLeadOff}, {"ll_offx", qLeadOffX}, {"ll_dram", qLeadDRAM}, {"ll_dramx", qLeadDRAMX},
	{"crit_off", qCritOff}, {"crit_offx", qCritOffX}, {"crit_dram", qCritDRAM},
	{"crit_dramx", qCritDRAMX},
	{"sq_full", qStoreFull}, {"sq_ren", qStoreBlocked}, {"sq_off", qStoreOff},
	{"sq_full_nold", qStoreNoLoad},
	{"drain", qDrain}, {"drain_off", qDrainOff}, {"rob_empty", qEmpty}, {"fetch_off", qFetchOff},
	{"occ_off", qOccupiedOff}, {"occ_dram", qOccupiedDRAM}, {"rfo_off", qOwnOff},
	{"rfo_dram", qOwnDRAM},
	{"ld_off", qLoadsOff}, {"ld_dram", qLoadsDRAM}, {"st_off", qStoresOff},
	{"st_dram", qStoresDRAM},
	{"dram_rd", qReads}, {"dram_wr", qWrites},
	{"stall_lo_cycles", qStallLoCycles}, {"occ_hi_cycles", qOccupiedHiCycles},
	{"occ_dram_cycles", qOccupiedDRAMCycles},
	{"store_full_cycles", qStoreFullCycles}, {"store_rfo_cycles", qStoreOwnCycles},
}

// CounterNames are the counters that Options.Counters can name.
func CounterNames() []string {
	names := make([]string, len(counterNames))
	for i := range counterNames {
		names[i] = counterNames[i].name
	}
	return names
}

// countersByName finds the quantities that the names stand for.
func countersByName(names []string) ([]quantity, error) {
	if len(names) > maxCounters {
		return nil, fmt.Errorf("%d counters, more than %d", len(names), maxCounters)
	}
	var qs []quantity
next:
	for _, n := range names {
		for i := range counterNames {
			if counterNames[i].name == n {
				qs = append(qs, counterNames[i].q)
				continue next
			}
		}
		return nil, fmt.Errorf("the simulated machine has no counter %q; there are %s", n,
			strings.Join(CounterNames(), ", "))
	}
	return qs, nil
}
