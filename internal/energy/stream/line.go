package stream

// lineSchema is the version of a line.
const lineSchema = 1

// Line is the state of a run at a moment. Amounts are nJ since the begin, times ns.
type Line struct {
	Schema int `json:"schema"`
	// Command is the program that runs, Source the source of the energy (energy.Source) and Rule
	// the name of the rule that divides it.
	Command string `json:"command"`
	Source  string `json:"source"`
	Rule    string `json:"rule"`

	AtNS    int64 `json:"at_ns"`    // time since the begin
	EveryNS int64 `json:"every_ns"` // the least time between two lines
	// Ended reports that the program has ended, or is left to itself, and that this is the last
	// line.
	Ended bool `json:"ended"`
	// Dropped is the number of lines so far that nobody took in time.
	Dropped uint64 `json:"dropped_lines"`

	FreqHz int64   `json:"freq_hz"`
	Watts  float64 `json:"watts"` // power of the whole machine, as in the four parts below
	// OverNS is the time before the line over which its watts are means.
	OverNS int64 `json:"over_ns"`
	// Total = Target + Others + Idle + Rest.
	TotalNJ  int64 `json:"total_nj"`
	TargetNJ int64 `json:"target_nj"`
	OthersNJ int64 `json:"others_nj"`
	IdleNJ   int64 `json:"idle_nj"`
	RestNJ   int64 `json:"unattributed_nj"`

	Processes     []Process `json:"processes"` // the most energy first, as in the lists below
	MoreProcesses int       `json:"more_processes"`
	Threads       []Thread  `json:"threads"`
	MoreThreads   int       `json:"more_threads"`
	// Methods are nil where none are sampled. SampledNJ is the energy that all of them share.
	Methods     []Method `json:"methods,omitempty"`
	MoreMethods int      `json:"more_methods,omitempty"`
	SampledNJ   int64    `json:"sampled_nj,omitempty"`
	Samples     int      `json:"samples,omitempty"`
	// VirtualNJ is the part of SampledNJ that virtual threads of Java used. It is in the lines of
	// the threads that carried them.
	VirtualNJ int64 `json:"virtual_threads_nj,omitempty"`
}

// Process is a process with all its threads, those that ended included.
type Process struct {
	PID      int32   `json:"pid"` // 0: threads with an unknown process
	Name     string  `json:"name"`
	Threads  int     `json:"threads"` // number of living threads
	Ended    int     `json:"ended_threads"`
	EnergyNJ int64   `json:"energy_nj"`
	CPUNS    int64   `json:"cpu_ns"`
	Watts    float64 `json:"watts"`
}

// Thread is a living thread, or one of those that used the most before they ended.
type Thread struct {
	TID      int32   `json:"tid"`
	PID      int32   `json:"pid"`
	Name     string  `json:"name"`
	Ended    bool    `json:"ended"`
	EnergyNJ int64   `json:"energy_nj"`
	CPUNS    int64   `json:"cpu_ns"`
	Watts    float64 `json:"watts"`
}

// Method is a unit of the report's view by method.
type Method struct {
	Unit     string  `json:"unit"`
	EnergyNJ int64   `json:"energy_nj"`
	CPUNS    int64   `json:"cpu_ns"`
	Samples  int     `json:"samples"`
	Share    float64 `json:"share"` // share of SampledNJ
	Low      float64 `json:"share_low"`
	High     float64 `json:"share_high"` // end of the 95 % interval
}
