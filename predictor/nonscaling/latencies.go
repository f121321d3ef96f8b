package nonscaling

// Latencies are the times of a machine that estimators need: those of the parts of a memory access,
// each in the clock that drives it. They belong to the machine, not to a program, and can be
// measured with a pointer chase at two frequencies.
type Latencies struct {
	// LookupCycles is the time of a load in the core's clock on its way to and from the next clock
	// domain: the difference of its load-to-use time between two frequencies.
	LookupCycles float64
	// MemoryNs is a load's way to memory and back, outside the core.
	MemoryNs float64
	// SharedNs is a hit in the shared cache beyond the core's clock domain.
	SharedNs float64
	// TransferNs and TransferCycles are the time of a line from another core's cache, in fixed time
	// and in core cycles (of the core that gives it away: all cores run at one frequency).
	TransferNs, TransferCycles float64
	// SecondNs and SecondCycles are that time for a line from another core's second cache; 0 where
	// it takes as long as from the first.
	SecondNs, SecondCycles float64
	// StoreNs is a store's way to memory and back, outside the core, in a burst.
	StoreNs float64
	// EvenStores is the share of the waiting for a full store queue that a slower clock can spare.
	// Stores that come close together fill the queue at any clock, and no counter says how close
	// they come: half. It is as much the programs' as the machine's.
	EvenStores float64
	// StoreQueue is the number of stores that the store queue holds, and InstsPerStore the number
	// of instructions of which one stores. No counter has all stores, those that hit included.
	// Programs store with every sixth to tenth instruction.
	StoreQueue, InstsPerStore float64
	// LineNs is the time in which the memory moves a line at its peak: 64 bytes over the bandwidth.
	LineNs float64
	// RefillCycles is the number of cycles per instruction for which the front end may delay a core
	// without a miss of instructions in the caches: mispredicted branches cost as much (20 in 1,000
	// instructions, 15 cycles each).
	RefillCycles float64
	// PipelineCycles is the length of the pipeline, from renaming to retiring.
	PipelineCycles float64
}

// DefaultLatencies returns the latencies of the documented machine of the epoch tables (DEP+BURST,
// Table 2): 88 ns from load to use at 1 GHz and 77 ns at 4 GHz make 14.7 cycles in the core, and
// the shared cache takes 28 cycles of 1.5 GHz. A transfer between cores is a constant and a lookup
// of the other core's caches: the mean latencies of programs that share almost only through locks,
// at 1, 2 and 4 GHz, lie on 1.5 ns + 11.5 cycles within 1.5 ns each. From the second cache it is
// 3.6 ns and 20.2 cycles, the same of a program that shares its data. Every second row of memory
// that a burst of stores needs is taken to be open (58 ns). The memory moves 12.8 GB/s.
func DefaultLatencies() Latencies {
	return Latencies{
		LookupCycles: (88 - 77) / (1/1.0 - 1/4.0),
		MemoryNs:     77 - (88-77)/(1/1.0-1/4.0)/4,
		SharedNs:     28 / 1.5,
		TransferNs:   2.25 / 1.5, TransferCycles: 11.5,
		SecondNs: 3.6, SecondCycles: 20.2,
		StoreNs:    (58 + 77 - (88-77)/(1/1.0-1/4.0)/4) / 2,
		EvenStores: 0.5,
		StoreQueue: 32, InstsPerStore: 8,
		LineNs:       64 / 12.8,
		RefillCycles: 0.3, PipelineCycles: 15,
	}
}
