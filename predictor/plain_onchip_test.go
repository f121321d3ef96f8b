package predictor

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// inCore is the share of the core's clock in the time of n accesses on the chip. A third of them
// are hits in the shared cache (28 cycles of 1.5 GHz), a third lines from another core's first
// cache (1.5 ns and 11.5 cycles), and a third from its second (3.6 ns and 20.2 cycles). The slower
// they must have been in the mean, the more of the slowest kind there are.
func inCore(cycle, time, n float64) float64 {
	all := [][2]float64{{28 / 1.5, 0}, {1.5, 11.5 * cycle}, {3.6, 20.2 * cycle}}
	fast, slow := all[0], all[0]
	for _, k := range all {
		if k[0]+k[1] < fast[0]+fast[1] {
			fast = k
		}
		if k[0]+k[1] > slow[0]+slow[1] {
			slow = k
		}
	}
	w, least := 0.0, fast[0]+fast[1]
	if n > 0 && time/n > least {
		w = math.Min((time/n-least)/(slow[0]+slow[1]-least), 1)
	}
	// so added and multiplied, as the last bit can decide how a time is rounded
	var mean, core float64
	for _, k := range all {
		mean += (k[0] + k[1]) / 3
		core += k[1] / 3
	}
	return (core + w*(slow[1]-core)) / (mean + w*(slow[0]+slow[1]-mean))
}

// threads is the number of threads that ran in the epochs to i.
func (p *plain) threads(i int) int {
	ran := map[epochs.TID]bool{}
	for _, e := range p.es[:i+1] {
		for _, r := range e.Rows {
			ran[r.Thread] = true
		}
	}
	return len(ran)
}
