package eval

import "math"

// none stands where the paper's text states no number, and where there is no value.
var none = math.NaN()

// direction is a base and a target frequency in GHz.
type direction struct{ from, to int }

var (
	up   = direction{1, 4}
	down = direction{4, 1}
)

// Figures that the text of DEP+BURST states, in percent.
var (
	// paperErrors are mean absolute prediction errors, sections 5.1 and 5.2 (Figures 2 to 4).
	paperErrors = map[string]map[direction]float64{
		"m+crit":              {up: 27, down: 70},
		"coop":                {up: 22, down: 63},
		"dep":                 {up: 19, down: 57},
		"dep+burst":           {up: 6, down: 8},
		"dep+burst per-epoch": {up: 10, down: 14},
	}
	// paperThreads are the errors of DEP+BURST by application threads, section 5.3 (Figure 5). From
	// eight threads upward the paper only states that the error is below 10 %.
	paperThreads = map[int]map[direction]float64{
		1: {up: 5.4, down: 3.2},
		4: {up: 6, down: 8},
		8: {up: 10, down: 9.3},
	}
	// paperSaved is the processor energy saved on memory-intensive workloads by slowdown budget:
	// mean and most, section 6.1.2 (Figure 7).
	paperSaved     = map[int]float64{5: 13, 10: 19}
	paperMostSaved = map[int]float64{5: 15, 10: 22}
	// paperAhead is the number of points that the manager saves beyond Static-Opt on
	// memory-intensive workloads at 10 %: mean and most, section 6.1.2 (Figure 9).
	paperAhead, paperMostAhead = 2.0, 10.0
	// paperSlowdown is the mean slowdown of all workloads at a budget of 5 %, by frequency step in
	// MHz, without and with excess time, section 6.1.3 (Figure 10).
	paperSlowdown = map[int][2]float64{125: {3.7, 3.7}, 500: {0.7, 3.2}}
	// paperStepSaved is the energy saved on memory-intensive workloads with steps of 500 MHz,
	// without and with excess time, section 6.1.3 (Figure 11).
	paperStepSaved = [2]float64{7.7, 12.5}
	// paperHoldOff is the mean slowdown by hold-off at a budget of 5 %, section 6.1.4 (Figure 12).
	paperHoldOff = map[int]float64{1: 3.7, 5: 3.8}
	// paperSystem and paperMostSystem are the system energy saved against 4 GHz: mean and most,
	// section 6.2 (Figure 14). Most is sunflow's, both times.
	paperSystem     = map[string]float64{seriesLowest: 5, seriesStatic: 15, seriesEbb: 15.6}
	paperMostSystem = map[string]float64{seriesStatic: 20, seriesEbb: 18.5}
)

// paperWorkload is a row of Table 1, at 1 GHz with four application threads (avrora has six).
type paperWorkload struct {
	name        string
	memory      bool // memory-intensive: more than 10 % of the time in garbage collection
	heap        int  // MB
	total, inGC int  // ms
}

// paperWorkloads are in the order of the paper's figures: memory-intensive ones to the left. The
// text counts five of these, its Table 1 four; this table follows Table 1.
var paperWorkloads = []paperWorkload{
	{"xalan", true, 108, 1400, 270},
	{"pmd", true, 98, 1345, 230},
	{"pmd.scale", true, 98, 500, 80},
	{"lusearch", true, 68, 2600, 285},
	{"lusearch.fix", false, 68, 1249, 42},
	{"avrora", false, 98, 1782, 5},
	{"sunflow", false, 108, 4900, 82},
}

// lookUp returns m[k], or none.
func lookUp[K comparable](m map[K]float64, k K) float64 {
	if v, ok := m[k]; ok {
		return v
	}
	return none
}
