package predictor

import "slices"

// Estimator says from which counter columns the time that does not scale is taken. Lo and Hi are sums of columns; a
// column written "a^b" is the lesser of the two. Without Hi the estimator claims to know the time, otherwise it
// brackets it.
type Estimator struct {
	Name   string
	Lo, Hi []string
	Store  string // store-queue-full time, added by the models with +burst
	Cycles string // the thread's cycles, when the other columns count cycles; else they are times
	What   string
}

// estimators are in order of preference: without a name, the first whose columns are all there is taken.
//
// A simulator's latency columns end in the level beyond which a load counts: _off left the core's clock domain, _dram
// left the last cache too, _offx and _dramx count only the time outside the core's clock domain.
var estimators = []Estimator{
	{Name: "crit", Lo: []string{"crit_dram"}, Store: "sq_full",
		What: "critical path through load misses that went to memory, full latency (the paper's)"},
	{Name: "leading-loads", Lo: []string{"ll_dram"}, Store: "sq_full",
		What: "full latency of the leading load of each cluster of misses that went to memory"},
	{Name: "stall", Lo: []string{"stall_dram"}, Store: "sq_full",
		What: "time in which nothing commits behind a load that went to memory"},
	{Name: "crit-off", Lo: []string{"crit_off"}, Store: "sq_off",
		What: "critical path through loads that left the core's clock domain, full latency"},
	{Name: "crit-offx", Lo: []string{"crit_offx"}, Store: "sq_off",
		What: "the same, only the time outside the core's clock domain"},
	{Name: "leading-loads-off", Lo: []string{"ll_off"}, Store: "sq_off",
		What: "leading loads that left the core's clock domain, full latency"},
	{Name: "leading-loads-offx", Lo: []string{"ll_offx"}, Store: "sq_off",
		What: "the same, only the time outside the core's clock domain"},
	{Name: "stall-off", Lo: []string{"stall_off"}, Store: "sq_off",
		What: "time in which nothing commits behind a load that left the core's clock domain"},
	{Name: "bracket", Lo: []string{"stall_off^occ_off"}, Hi: []string{"occ_off"}, Store: "sq_full_nold^rfo_off",
		What: "between stall and occupancy beyond the core's clock domain, as real counters give them"},
	{Name: "counters", Lo: []string{"stall_lo_cycles^occ_hi_cycles"}, Hi: []string{"occ_hi_cycles"},
		Store: "store_full_cycles^store_rfo_cycles", Cycles: "cycles",
		What: "the same bracket from a live machine's counters"},
	{Name: "none", What: "no counters: all running time scales"},
}

// Estimators lists the estimators, best first.
func Estimators() []Estimator { return slices.Clone(estimators) }

// EstimatorNames lists their names.
func EstimatorNames() []string {
	var names []string
	for _, d := range estimators {
		names = append(names, d.Name)
	}
	return names
}

// bestEstimator is the first whose columns are all there, store term included.
func bestEstimator(have []string) string {
	for _, d := range estimators {
		c := columns{have: have}
		c.terms(d.Lo)
		c.terms(d.Hi)
		if d.Store != "" {
			c.term(d.Store)
		}
		if d.Cycles != "" {
			c.index(d.Cycles)
		}
		if len(c.missing) == 0 {
			return d.Name
		}
	}
	return "none"
}
