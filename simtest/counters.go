package simtest

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
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
	qFetchCycles
	qEmptyCycles
	quantities
)

// counterNames are the quantities' names among estimators and hosts: those of a cycle-level
// simulator's epoch tables, in ns, and those of performance monitoring units, in cycles.
var counterNames = []struct {
	name string
	q    quantity
}{
	{hpc.Cycles, qCycles}, {hpc.Instructions, qInstructions}, {hpc.Insts, qInstructions},
	{hpc.APERF, qCycles}, {hpc.MPERF, qReference}, {hpc.TSC, qReference},
	{hpc.StallOff, qStallOff}, {hpc.StallDRAM, qStallDRAM},
	{hpc.LeadOff, qLeadOff}, {hpc.LeadOffX, qLeadOffX}, {hpc.LeadDRAM, qLeadDRAM},
	{hpc.LeadDRAMX, qLeadDRAMX},
	{hpc.CritOff, qCritOff}, {hpc.CritOffX, qCritOffX}, {hpc.CritDRAM, qCritDRAM},
	{hpc.CritDRAMX, qCritDRAMX},
	{hpc.SQFull, qStoreFull}, {hpc.SQRen, qStoreBlocked}, {hpc.SQOff, qStoreOff},
	{hpc.SQFullNoLoad, qStoreNoLoad},
	{hpc.Drain, qDrain}, {hpc.DrainOff, qDrainOff}, {hpc.ROBEmpty, qEmpty},
	{hpc.FetchOff, qFetchOff},
	{hpc.OccOff, qOccupiedOff}, {hpc.OccDRAM, qOccupiedDRAM}, {hpc.RFOOff, qOwnOff},
	{hpc.RFODRAM, qOwnDRAM},
	{hpc.LoadsOff, qLoadsOff}, {hpc.LoadsDRAM, qLoadsDRAM}, {hpc.StoresOff, qStoresOff},
	{hpc.StoresDRAM, qStoresDRAM},
	{hpc.DRAMReads, qReads}, {hpc.DRAMWrites, qWrites},
	{hpc.StallLo, qStallLoCycles}, {hpc.OccHi, qOccupiedHiCycles},
	{hpc.OccMemory, qOccupiedDRAMCycles},
	{hpc.StoreFull, qStoreFullCycles}, {hpc.StoreRFO, qStoreOwnCycles},
	{hpc.FetchWait, qFetchCycles}, {hpc.Empty, qEmptyCycles},
}

// CounterNames returns the counters that Options.Counters can name.
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
