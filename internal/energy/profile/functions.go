package profile

// Functions are the calls of an instrumented program, and the energy of single invocations. An
// invocation has the energy of all that its function called in the same thread, so these overlap,
// and are no part of what the profile adds up.
type Functions struct {
	PeriodNS  int64  `json:"period_ns"`
	Groups    int    `json:"groups"`     // groups of functions; one has its turn in each period
	Grouping  string `json:"grouping"`   // "address", "name", "chance"
	Pick      string `json:"pick"`       // "any" of a block of calls, or the "first" of a period
	PerPeriod int    `json:"per_period"` // records of a function, a thread and a period, at most
	// Counters are the names of the counters in Function.Counts, in its order.
	Counters []string `json:"counters,omitempty"`

	// InstructionNJ is what an instruction has taken beyond its time, by the run's own windows, in
	// which invocations differ by that; 0: within a window energy is divided by time alone.
	InstructionNJ float64 `json:"instruction_energy_nj"`

	Threads  uint64 `json:"threads"` // places in which threads counted, some after others
	Calls    uint64 `json:"calls"`
	Records  uint64 `json:"records"`
	Called   int    `json:"called"`      // functions that were called at all
	Once     int    `json:"called_once"` // functions called just once
	Profiled int    `json:"profiled"`    // functions with a record
	// Instrumented is the number of functions that the program's files were compiled to count; 0:
	// not known. Never is the number of those that nobody called, and Uncalled has the first.
	Instrumented int        `json:"instrumented,omitempty"`
	Never        int        `json:"never_called"`
	Uncalled     []Uncalled `json:"never_called_list,omitempty"`

	// HooksShare is the sampled share of the energy that counting and profiling took, which is in
	// the energies of those that were counted; 0: no sample found it.
	HooksShare float64 `json:"hooks_share,omitempty"`

	// Numbers of what was not seen, by cause.
	RefusedThreads  uint64 `json:"refused_threads,omitempty"`     // no place left
	UncountedCalls  uint64 `json:"uncounted_calls,omitempty"`     // too many functions
	Unbegun         uint64 `json:"unbegun_records,omitempty"`     // too deep, or its CPU was lost
	Abandoned       uint64 `json:"abandoned_records,omitempty"`   // left without a return
	Open            uint64 `json:"open_records,omitempty"`        // had not ended
	Lost            uint64 `json:"lost_records,omitempty"`        // overwritten before the reading
	Unknown         uint64 `json:"unpriced_records,omitempty"`    // no window has their energy
	Surplus         uint64 `json:"surplus_records,omitempty"`     // too many functions
	WithoutCounters uint64 `json:"threads_no_counters,omitempty"` // counters could not be opened
	More            int    `json:"more_functions,omitempty"`      // that List leaves out

	List []Function `json:"list"` // most energy first
}

// Uncalled is a function that nobody called.
type Uncalled struct {
	Name   string `json:"name"`
	Module string `json:"module,omitempty"`
}

// Function is one function's calls and invocations. Means are over calls: a record stands for the
// block of calls that it was picked from.
type Function struct {
	Name   string `json:"name"`
	Module string `json:"module,omitempty"`
	Calls  uint64 `json:"calls"` // exact
	// Records is the number of invocations that were profiled. With none, all below is 0.
	Records int   `json:"records"`
	MeanNJ  int64 `json:"mean_energy_nj"` // an invocation's, with the functions that it called
	// LowNJ and HighNJ are the mean's 95 % interval; null with fewer than two records.
	LowNJ  *int64 `json:"mean_energy_low_nj"`
	HighNJ *int64 `json:"mean_energy_high_nj"`
	// DeviationNJ is the standard deviation from one invocation to the next.
	DeviationNJ int64     `json:"energy_deviation_nj"`
	LeastNJ     int64     `json:"least_energy_nj"`
	MostNJ      int64     `json:"most_energy_nj"`
	WallNS      int64     `json:"mean_wall_ns"`
	CPUNS       int64     `json:"mean_cpu_ns"`
	FreqHz      int64     `json:"mean_freq_hz"` // the machine's meanwhile; 0: unknown
	Switches    float64   `json:"mean_switches"`
	Counts      []float64 `json:"mean_counts,omitempty"`
	// Short reports that the invocations are too short to be measured one by one (see ShortNS).
	// MeanNJ is then SampledNJ over Calls; 0: the function was in no sample. There is no deviation
	// and no spread.
	Short bool `json:"short,omitempty"`
	// Recursive reports that invocations lie within others of the same function. The mean times the
	// calls then counts their energy several times.
	Recursive bool `json:"recursive,omitempty"`
	// TotalNJ is the mean times the calls; SampledNJ for a recursive function.
	TotalNJ int64 `json:"total_energy_nj"`
	// SampledNJ is the energy of the stacks with the function, by samples; 0: no stack has it.
	SampledNJ int64   `json:"sampled_energy_nj"`
	Spread    []Range `json:"spread,omitempty"`
}

// Range is a range of energies and the number of records in it.
type Range struct {
	FromNJ  int64 `json:"from_nj"`
	ToNJ    int64 `json:"to_nj"`
	Records int   `json:"records"`
}

// ShortNS is the CPU time of an invocation below which its own measurement disturbs it too much.
// After the calls that read the clocks, its code and data are no longer in the nearest caches,
// which costs it up to 0.3 us.
const ShortNS = 3000

// Discrepancy returns the difference of the calls' total from the sampled energy, as a share of the
// latter. It is unknown where one of the two is, and for recursive and short functions.
func (f *Function) Discrepancy() (share float64, known bool) {
	if f.Recursive || f.Short || f.Records == 0 || f.SampledNJ <= 0 {
		return 0, false
	}
	return float64(f.TotalNJ)/float64(f.SampledNJ) - 1, true
}
