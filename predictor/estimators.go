package predictor

// In the names of a simulator's columns _dram means loads that went to memory, _off loads that left
// the core's clock domain, and an x at the end that only the time outside that domain counts.
//
// The first three are the package's own (see "What does not scale" in its documentation), in order
// of what they know. The others are the sequential models of the literature as printed, over one
// column each.
var estimators = []Estimator{
	{
		Name: "offcore",
		Columns: []string{"crit_off", "crit_offx", "crit_dram", "crit_dramx", "rob_empty", "sq_ren",
			"drain_off",
			"insts"},
		Store: []string{"sq_off", "st_off"},
		What:  "time outside the core's clock domain: loads, instruction fetch, fences and stores, lines from other cores told apart",
		unit:  true,
		fetch: true,
		make:  newOffcore,
	},
	{
		Name:    "critical",
		Columns: []string{"crit_offx", "crit_dramx", "fetch_off"},
		Store:   []string{"sq_off"},
		What:    "the critical path's time outside the core's clock domain, and that of instruction fetch",
		fetch:   true,
		make:    newCritical,
	},
	{
		Name:    "counters",
		Columns: []string{"cycles", "stall_lo_cycles", "occ_hi_cycles"},
		Store:   []string{"store_full_cycles", "store_rfo_cycles"},
		Spare:   true,
		What:    "between stalled and occupied beyond the core's clock domain, from a live machine's counters",
		make: func(c *columns, cfg config) splitter {
			return newBracket(c, cfg, "stall_lo_cycles", "occ_hi_cycles", "occ_dram_cycles",
				"store_full_cycles", "store_rfo_cycles", "cycles")
		},
	},
	{
		Name:    "bracket",
		Columns: []string{"stall_off", "occ_off"},
		Store:   []string{"sq_ren|sq_full_nold|sq_full", "rfo_off"},
		What:    "the same from a simulator's columns that real counters can give",
		make: func(c *columns, cfg config) splitter {
			return newBracket(c, cfg, "stall_off", "occ_off", "occ_dram",
				"sq_ren|sq_full_nold|sq_full", "rfo_off", "")
		},
	},
	{
		Name:    "stalls",
		Columns: []string{"cycles", "stall_lo_cycles"},
		Store:   []string{"store_full_cycles"},
		Spare:   true,
		What:    "stalled beyond the core's clock domain, from the counters of a live machine that can not count occupancy",
		make: func(c *columns, cfg config) splitter {
			return newBracket(c, cfg, "stall_lo_cycles", "", "", "store_full_cycles",
				"store_rfo_cycles", "cycles")
		},
	},
	printed("crit", "crit_dram", "sq_full",
		"critical path through loads that went to memory (the paper's)"),
	printed("crit-off", "crit_off", "sq_off",
		"critical path through loads that left the core's clock domain"),
	printed("crit-offx", "crit_offx", "sq_off", "the same, only the time outside that domain"),
	printed("leading-loads", "ll_dram", "sq_full",
		"the leading load of each cluster of misses that went to memory"),
	printed("leading-loads-offx", "ll_offx", "sq_off",
		"leading loads that left the core's clock domain, only the time outside it"),
	printed("stall", "stall_dram", "sq_full",
		"time in which nothing commits behind a load that went to memory"),
	printed("stall-off", "stall_off", "sq_off",
		"the same for loads that left the core's clock domain"),
	{
		Name:    "stalled",
		Columns: []string{"stall_off"},
		Store:   []string{"sq_full_nold|sq_full"},
		What:    "the estimator stalls from a simulator's columns",
		make: func(c *columns, cfg config) splitter {
			return newBracket(c, cfg, "stall_off", "", "", "sq_full_nold|sq_full", "", "")
		},
	},
	{Name: "none", What: "no counters: all running time scales",
		make: func(*columns, config) splitter { return printedSplit{-1, -1} }},
}

// printed makes an estimator of a single column of load time and one of store-queue-full time.
func printed(name, load, store, what string) Estimator {
	return Estimator{Name: name, Columns: []string{load}, Store: []string{store}, What: what,
		make: func(c *columns, cfg config) splitter {
			s := printedSplit{c.index(load), -1}
			if cfg.burst {
				s.store = c.index(store)
			}
			return s
		}}
}

// printedSplit takes the non-scaling time from a column as it is; BURST adds that of another
// (DEP+BURST, section 3.4).
type printedSplit struct{ load, store int }

func (printedSplit) rebase(float64) {}

func (s printedSplit) split(v []int64, dur int64) (p parts, clamped bool) {
	p.dur = dur
	if s.load >= 0 {
		p.lo = v[s.load]
		p.hi = p.lo
	}
	if s.store >= 0 {
		p.stall = v[s.store]
		p.out = p.stall
	}
	clamped = p.clamp()
	return p, clamped
}
