package nonscaling

// In the names of a simulator's columns _dram means loads that went to memory, _off loads that left
// the core's clock domain, and an x at the end that only the time outside that domain counts.

// Estimators are ebb's own, in order of what they know.
func Estimators() []Estimator {
	return []Estimator{
		{
			Name: "offcore",
			Columns: []string{"crit_off", "crit_offx", "crit_dram", "crit_dramx", "rob_empty",
				"sq_ren", "drain_off", "insts"},
			Store: []string{"sq_off", "st_off"},
			Doc: "loads, lines from other cores, fetch, fences and stores outside the core's " +
				"clock domain",
			NeedsUnit:   true,
			CountsFetch: true,
			Make:        newOffcore,
		},
		{
			Name:    "critical",
			Columns: []string{"crit_offx", "crit_dramx", "fetch_off"},
			Store:   []string{"sq_off"},
			Doc: "critical path of loads outside the core's clock domain, and instruction " +
				"fetch",
			CountsFetch: true,
			Make:        newCritical,
		},
		{
			Name:          "counters",
			Columns:       []string{"cycles", "stall_lo_cycles", "occ_hi_cycles"},
			Store:         []string{"store_full_cycles", "store_rfo_cycles"},
			StoreOptional: true,
			Doc:           "between stalled and occupied, from a live machine's counters",
			Make: bracketOf(bracketColumns{stall: "stall_lo_cycles", occupied: "occ_hi_cycles",
				memory: "occ_dram_cycles", full: "store_full_cycles", out: "store_rfo_cycles",
				cycles: "cycles"}),
		},
		{
			Name:    "bracket",
			Columns: []string{"stall_off", "occ_off"},
			Store:   []string{"sq_ren|sq_full_nold|sq_full", "rfo_off"},
			Doc:     "between stalled and occupied, from a simulator's columns",
			Make: bracketOf(bracketColumns{stall: "stall_off", occupied: "occ_off",
				memory: "occ_dram", full: "sq_ren|sq_full_nold|sq_full", out: "rfo_off"}),
		},
		{
			Name:          "stalls",
			Columns:       []string{"cycles", "stall_lo_cycles"},
			Store:         []string{"store_full_cycles"},
			StoreOptional: true,
			Doc: "stalled, from the counters of a live machine that cannot count " +
				"occupancy",
			Make: bracketOf(bracketColumns{stall: "stall_lo_cycles", full: "store_full_cycles",
				out: "store_rfo_cycles", cycles: "cycles"}),
		},
	}
}

// Fallbacks are the estimators for columns that no other one can use.
func Fallbacks() []Estimator {
	return []Estimator{
		{
			Name:    "stalled",
			Columns: []string{"stall_off"},
			Store:   []string{"sq_full_nold|sq_full"},
			Doc:     "stalled, from a simulator's columns",
			Make:    bracketOf(bracketColumns{stall: "stall_off", full: "sq_full_nold|sq_full"}),
		},
		{
			Name: None,
			Doc:  "no counters: all running time scales",
			Make: func(Columns, Options) Splitter { return allScales{} },
		},
	}
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
