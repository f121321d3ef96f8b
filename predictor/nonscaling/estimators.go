package nonscaling

import "github.com/ebb-energy/ebb/hpc"

// In the names of a simulator's columns _dram means loads that went to memory, _off loads that left
// the core's clock domain, and an x at the end that only the time outside that domain counts.

// Alternatives, the best column first, for a full store queue and for the time that it held up.
const (
	queueFull    = hpc.SQFullNoLoad + "|" + hpc.SQFull
	storesHeldUp = hpc.SQRen + "|" + queueFull
)

// Waiting for instructions, in a live machine's counters and in a simulator's columns.
var (
	liveFetch = fetchColumns{waited: hpc.FetchWait, empty: hpc.Empty, insts: hpc.Instructions}
	// A simulator's column fetch_off is for "critical" alone.
	tableFetch = fetchColumns{empty: hpc.ROBEmpty, insts: hpc.Insts}
)

// Estimators returns ebb's own estimators, in the order of their knowledge, the most first.
func Estimators() []Estimator {
	return []Estimator{
		{
			Name: "offcore",
			Columns: []string{hpc.CritOff, hpc.CritOffX, hpc.CritDRAM, hpc.CritDRAMX, hpc.ROBEmpty,
				hpc.SQRen, hpc.DrainOff, hpc.Insts},
			Store: []string{hpc.SQOff, hpc.StoresOff},
			Doc: "loads, lines from other cores, fetch, fences and stores outside the core's " +
				"clock domain",
			NeedsUnit:   true,
			CountsFetch: true,
			Make:        newOffcore,
		},
		{
			Name:    "critical",
			Columns: []string{hpc.CritOffX, hpc.CritDRAMX, hpc.FetchOff},
			Store:   []string{hpc.SQOff},
			Doc: "critical path of loads outside the core's clock domain, and instruction " +
				"fetch",
			CountsFetch: true,
			Make:        newCritical,
		},
		{
			Name:          "counters",
			Columns:       []string{hpc.Cycles, hpc.StallLo, hpc.OccHi},
			Store:         []string{hpc.StoreFull, hpc.StoreRFO},
			StoreOptional: true,
			Doc:           "between stalled and occupied, from a live machine's counters",
			Make: bracketOf(bracketColumns{stall: hpc.StallLo, occupied: hpc.OccHi,
				memory: hpc.OccMemory, full: hpc.StoreFull, out: hpc.StoreRFO,
				cycles: hpc.Cycles, fetch: liveFetch}),
		},
		{
			Name:    "bracket",
			Columns: []string{hpc.StallOff, hpc.OccOff},
			Store:   []string{storesHeldUp, hpc.RFOOff},
			Doc:     "between stalled and occupied, from a simulator's columns",
			Make: bracketOf(bracketColumns{stall: hpc.StallOff, occupied: hpc.OccOff,
				memory: hpc.OccDRAM, full: storesHeldUp, out: hpc.RFOOff,
				loads: hpc.LoadsOff, loadsMemory: hpc.LoadsDRAM, storesMemory: hpc.StoresDRAM,
				fetch: tableFetch}),
		},
		{
			Name:          "stalls",
			Columns:       []string{hpc.Cycles, hpc.StallLo},
			Store:         []string{hpc.StoreFull},
			StoreOptional: true,
			Doc: "stalled, from the counters of a live machine that cannot count " +
				"occupancy",
			Make: bracketOf(bracketColumns{stall: hpc.StallLo, full: hpc.StoreFull,
				out: hpc.StoreRFO, cycles: hpc.Cycles, fetch: liveFetch}),
		},
	}
}

// Fallbacks returns the estimators for columns that no other estimator can use.
func Fallbacks() []Estimator {
	return []Estimator{
		{
			Name:    "stalled",
			Columns: []string{hpc.StallOff},
			Store:   []string{queueFull},
			Doc:     "stalled, from a simulator's columns",
			Make: bracketOf(bracketColumns{stall: hpc.StallOff, full: queueFull,
				fetch: tableFetch}),
		},
		{
			Name:    Functions,
			Columns: []string{FunctionOff},
			Doc:     "no counters: a recorded share of the time of the function that was sampled",
			Make: func(c Columns, _ Options) Splitter {
				return byFunction{c.Index(FunctionOff)}
			},
		}, {
			Name: None,
			Doc:  "no counters: all running time scales",
			Make: func(Columns, Options) Splitter { return allScales{} },
		},
	}
}

// Functions is the estimator that takes the time in the column FunctionOff.
const Functions = "functions"

// FunctionOff is the column with the part of a row's time that does not scale, in the epochs' time
// unit. It follows from the functions in which samples found the row's thread.
const FunctionOff = "function_off"

// byFunction is the estimator Functions.
type byFunction struct{ column int }

func (byFunction) Rebase(float64) {}

func (b byFunction) Split(v []int64, dur int64) (p Parts, clamped bool) {
	p = Parts{Dur: dur, Lo: v[b.column], Hi: v[b.column]}
	return p, p.Clamp()
}

// None is the estimator that uses no counters.
const None = "none"

// allScales is the estimator None.
type allScales struct{}

func (allScales) Rebase(float64) {}

func (allScales) Split(_ []int64, dur int64) (p Parts, clamped bool) {
	p.Dur = dur
	return p, p.Clamp()
}
