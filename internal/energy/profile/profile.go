package profile

import (
	"cmp"
	"fmt"
)

// Profile is a run's attribution as reports carry it. Amounts are nJ, times ns. Slices by zone are
// in the order of Zones, those by rule in the order of Rules.
type Profile struct {
	RateHz int `json:"rate_hz"`
	// LeastRateHz is the lowest rate in the run, where sampling gave way to the budget.
	LeastRateHz int `json:"least_rate_hz,omitempty"`

	Taken   uint64 `json:"samples_taken"`
	Lost    uint64 `json:"samples_lost"`
	WallNS  int64  `json:"wall_ns"`
	Windows int    `json:"windows"` // number of windows into which the time was cut

	Zones []Zone   `json:"zones"`
	Rules []string `json:"rules"` // rules that divided the energy; the first is ebb's own

	Threads []Thread `json:"threads"`
	// VirtualThreads are Java's, which threads of Threads carried.
	VirtualThreads []VirtualThread `json:"virtual_threads,omitempty"`
	Frames         []Frame         `json:"frames"`
	Stacks         []Stack         `json:"stacks"`
	// Nameless are the files with functions that have no name and were seen, those with the most
	// energy first.
	Nameless []Nameless `json:"nameless,omitempty"`
	// VirtualNJ is what virtual threads of Java used, by rule; none where there were none. It is
	// part of the threads that carried them: see FindVirtual.
	VirtualNJ []int64 `json:"virtual_threads_nj,omitempty"`
	// Switches are of the processes whose runtimes were asked to list their code.
	Switches []Switches `json:"switches,omitempty"`
	// Network is nil when it was not counted.
	Network *Network `json:"network,omitempty"`
	// Functions is nil when the calls of functions were not counted.
	Functions *Functions `json:"functions,omitempty"`
	// Counts is nil when no functions were named to be counted.
	Counts *Counts `json:"counts,omitempty"`

	// Sections are the parts of the run that marks made. The first is outside of all regions. None
	// where the run looked for no marks.
	Sections []Section `json:"sections,omitempty"`

	// OwnCPUNS is ebb's own CPU time, its start and its end included.
	OwnCPUNS int64 `json:"own_cpu_ns"`
	// OwnRunNS is the part of OwnCPUNS within the windows: ebb's own time beside the program. Older
	// reports do not have it.
	OwnRunNS int64 `json:"own_run_ns,omitempty"`
	// Timeline is the power and the frequency over time.
	Timeline []Point  `json:"timeline"`
	Problems []string `json:"problems,omitempty"` // what could not be resolved or read
}

// Zone is one meter's sums. For every rule attributed + others + idle + unattributed = total.
type Zone struct {
	Name     string  `json:"name"`
	Source   string  `json:"source"` // "measured", "trained", "modelled", "formula"
	Model    string  `json:"model,omitempty"`
	TotalNJ  int64   `json:"total_nj"`
	Attr     []int64 `json:"attributed_nj"` // amounts by rule, as in the three fields below
	OthersNJ []int64 `json:"others_nj"`
	// OwnNJ is ebb's own part of the others' energy. Older reports do not have it.
	OwnNJ  []int64 `json:"own_nj,omitempty"`
	IdleNJ []int64 `json:"idle_nj"`
	RestNJ []int64 `json:"unattributed_nj"`
}

// Thread is one thread of the target.
type Thread struct {
	TID int32 `json:"tid"`
	PID int32 `json:"pid"`
	// InnerTID is its id in its own PID namespace, as that of a container; 0 where that is the
	// machine's first one, or not known.
	InnerTID int32  `json:"inner_tid,omitempty"`
	Comm     string `json:"comm"`
	// Name is the virtual machine's name for it, where the kernel's is cut: see Title.
	Name  string `json:"name,omitempty"`
	Phase string `json:"phase"` // see PhaseOf
	RunNS int64  `json:"run_ns"`
	// Ended is the number of ended threads of that name that it stands for; 0 for one thread.
	// Processes counts the processes that ended with them. TID is then 0, and so is PID unless all
	// are of one process.
	Ended     int `json:"ended_threads,omitempty"`
	Processes int `json:"ended_processes,omitempty"`
}

// Title returns the thread's name, the whole of it where that is known.
func (t *Thread) Title() string { return cmp.Or(t.Name, t.Comm) }

// Number returns the thread's id, and beside it the one that it has in a container.
func (t *Thread) Number() string {
	if t.InnerTID == 0 {
		return fmt.Sprint(t.TID)
	}
	return fmt.Sprintf("%d, inside %d", t.TID, t.InnerTID)
}

// VirtualThread is a virtual thread of Java. With ID 0 it is those of a process of which it is not
// known which was mounted, or More.
type VirtualThread struct {
	ID   uint64 `json:"id,omitempty"` // java.lang.Thread's own number
	PID  int32  `json:"pid,omitempty"`
	Name string `json:"name,omitempty"`
	// More says that it stands for those with little energy that have no name, and for those with
	// the least where there were too many.
	More bool `json:"more,omitempty"`
}

// NotKept is the name of the one frame, and of its module, of a stack of which nothing was kept.
const NotKept = "[not kept]"

// Frame is one function.
type Frame struct {
	Name   string `json:"name"`
	Module string `json:"module,omitempty"`
	// Kind is "jit" (compiled while it ran), "interpreted", "native", "kernel", "placed" (a
	// function that a file has no name for: it is called by its file and where in it it begins) or
	// "unresolved" (Name is the file's, or says what little is known).
	Kind string `json:"kind"`
	// BuildID is the file's. Address is where in the file's own numbering a function without a name
	// begins, or the code itself where that is not known. Only such functions have these two, which
	// name them later.
	BuildID string `json:"build_id,omitempty"`
	Address uint64 `json:"address,omitempty"`
	// Near names the exported functions beside it: "between A and B".
	Near string `json:"near,omitempty"`
}

// Stack is a call stack of a thread and its energy.
type Stack struct {
	Thread int `json:"thread"` // index into Threads
	// Virtual is the place in VirtualThreads, from 1, of the one that the thread carried; 0: none.
	Virtual int `json:"virtual_thread,omitempty"`
	// Section is an index into Sections.
	Section int `json:"section,omitempty"`
	// indices into Frames, the innermost first; none for a thread that was never sampled
	Frames  []int `json:"frames"`
	Samples int   `json:"samples"`
	// CPUNS is the part of the thread's CPU time that its samples represent. Older reports do not
	// have it.
	CPUNS int64 `json:"cpu_ns,omitempty"`
	// Cut reports that the walk did not come to the thread's beginning.
	Cut bool `json:"cut,omitempty"`
	// Kept is the number of frames that were kept of a deeper stack, to save memory: 32, 8 or 1. 0:
	// all, or none (see NotKept).
	Kept int `json:"frames_kept,omitempty"`
	// EnergyNJ is the energy by rule, summed over the zones that do not overlap (see Counted).
	EnergyNJ []int64 `json:"energy_nj"`
	// ByZone is the energy by the first rule, by zone.
	ByZone []int64 `json:"by_zone_nj"`
	// Squares is the sum of the squares of what each sample stands for by the first rule (nJ^2),
	// for intervals.
	Squares float64 `json:"squares"`
	// ByFrequency is its part at each known frequency, in order of frequency.
	ByFrequency []AtFrequency `json:"by_frequency,omitempty"`
}

// AtFrequency is a stack's part at one frequency.
type AtFrequency struct {
	FreqHz   int64   `json:"freq_hz"`
	Samples  int     `json:"samples"`
	CPUNS    int64   `json:"cpu_ns,omitempty"`
	EnergyNJ []int64 `json:"energy_nj"` // by rule
	Squares  float64 `json:"squares"`   // as in Stack.Squares
}

// Point is a stretch of the time line.
type Point struct {
	AtNS   int64   `json:"at_ns"` // time since the target's start
	DurNS  int64   `json:"dur_ns"`
	Watts  float64 `json:"watts"` // power of the counted zones
	FreqHz int64   `json:"freq_hz"`
}

// TrainedZone is the zone of a power model that was trained beside a meter.
const TrainedZone = "machine"

// Counted reports which zones are added up to "the energy": packages and memory. Cores and graphics
// are parts of their package; the platform contains all of it, and has parts that no program runs
// on.
func Counted(zones []string) []bool {
	out := make([]bool, len(zones))
	for i, z := range zones {
		switch kindOf(z) {
		case "package", "dram", "cpu", TrainedZone:
			out[i] = true
		}
	}
	return out
}

// kindOf returns a zone's name up to its number: "package-0" is a "package".
func kindOf(zone string) string {
	for i, c := range zone {
		if c == '-' {
			return zone[:i]
		}
	}
	return zone
}
