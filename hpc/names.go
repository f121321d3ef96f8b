package hpc

// The counters that a kernel counts. They are columns of a slice, and of epoch tables.
const (
	Cycles          = "cycles"       // cycles of the core's clock while it is not halted
	Instructions    = "instructions" // retired instructions
	StalledBackend  = "stalled_cycles_backend"
	TSC             = "tsc"   // the time-stamp counter
	APERF           = "aperf" // cycles of the delivered clock
	MPERF           = "mperf" // cycles of the nominal clock
	CPUClock        = "cpu_clock"
	PageFaults      = "page_faults"
	ContextSwitches = "context_switches"
	CPUMigrations   = "cpu_migrations"
)

// The counters of memory stalls, in cycles of the core's clock. families.toml has the event that
// stands for each.
const (
	StallLo   = "stall_lo_cycles"   // stalled with a load outstanding beyond the clock domain
	OccHi     = "occ_hi_cycles"     // a demand read outstanding beyond it
	StoreFull = "store_full_cycles" // held up by a full store queue
	StoreRFO  = "store_rfo_cycles"  // a store's line outstanding beyond the core
	// OccMemory is a demand read outstanding in memory. The table has it for no family: a slice has
	// no room for it (Sets).
	OccMemory = "occ_dram_cycles"
	FetchWait = "fetch_cycles" // waiting for instructions from beyond the core's clock domain
	Empty     = "empty_cycles" // no instruction is in flight
)

// The columns of cycle-level simulators' traces, which no processor counts: retired instructions,
// requests to memory, and times in ns. Names that end in _off are of accesses that left the core's
// clock domain, those in _dram of accesses that went to memory; an x behind means only the time
// outside of the domain.
const (
	Insts      = "insts"   // the retired instructions that hosts call Instructions
	DRAMReads  = "dram_rd" // lines read from memory
	DRAMWrites = "dram_wr" // lines written to memory

	CritOff   = "crit_off" // CRIT's critical path through loads
	CritOffX  = "crit_offx"
	CritDRAM  = "crit_dram"
	CritDRAMX = "crit_dramx"
	LeadOff   = "ll_off" // the leading load of each cluster of misses
	LeadOffX  = "ll_offx"
	LeadDRAM  = "ll_dram"
	LeadDRAMX = "ll_dramx"
	StallOff  = "stall_off" // nothing retires behind an unfinished load
	StallDRAM = "stall_dram"

	SQFull       = "sq_full"      // the store queue is full
	SQFullNoLoad = "sq_full_nold" // the same while no load is outstanding
	SQNoStall    = "sq_nostall"   // the same while the oldest instruction waits for no such load
	SQRen        = "sq_ren"       // a full store queue holds up the rename stage
	SQOff        = "sq_off"       // the same behind a store outside of the domain
	Drain        = "drain"        // the store queue empties before the core goes on
	DrainOff     = "drain_off"
	ROBEmpty     = "rob_empty" // no instruction is in flight
	FetchOff     = "fetch_off" // waiting for an instruction line
	OccOff       = "occ_off"   // a demand read is outstanding
	OccDRAM      = "occ_dram"
	RFOOff       = "rfo_off" // a store's line is outstanding
	RFODRAM      = "rfo_dram"
	LoadsOff     = "ld_off" // summed over loads
	LoadsDRAM    = "ld_dram"
	StoresOff    = "st_off" // summed over stores
	StoresDRAM   = "st_dram"
)
