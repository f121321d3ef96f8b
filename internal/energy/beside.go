package energy

import (
	"slices"
	"time"
)

// Beside adds to the shared times of a window what a core's hardware threads ran beside other
// programs. Only the length of the others' time is known, so it counts as evenly spread over the
// part of the window in which the target did not have their CPU: a thread that runs for x without a
// sibling of the target's, beside a CPU that others have for the share p of that part, shared p x.
// That is exact if the others are there all the time, or never; between them it is the mean.
//
// cores has the CPUs that share a core with others. The target's own times must have been taken off
// Others, and a second call would count twice.
func (w *Window) Beside(cores map[CPU]Core) {
	if len(w.Others) == 0 || len(cores) == 0 || w.Dur() <= 0 {
		return
	}
	run, alone := map[CPU]time.Duration{}, map[CPU]time.Duration{} // CPU time of the target
	for i := range w.Runs {
		r := &w.Runs[i]
		run[r.CPU] += r.Time()
		alone[r.CPU] += r.Alone
	}
	share := func(d, of time.Duration) float64 {
		if d <= 0 || of <= 0 {
			return 0
		}
		return min(float64(d)/float64(of), 1)
	}
	foreign := map[CPU]float64{} // share of the time left by the target that others ran
	for i := range w.Others {
		o := &w.Others[i]
		foreign[o.CPU] = min(foreign[o.CPU]+share(o.Time, w.Dur()-run[o.CPU]), 1)
	}
	on := map[Core][]CPU{}
	for c, core := range cores {
		on[core] = append(on[core], c)
	}
	for _, cpus := range on {
		slices.Sort(cpus) // the same products from run to run
	}
	// beside returns the share of c's time in which a CPU of its core is busy, as busy says of one
	// CPU.
	beside := func(c CPU, busy func(CPU) float64) float64 {
		core, shares := cores[c]
		if !shares {
			return 0
		}
		idle := 1.0
		for _, o := range on[core] {
			if o != c {
				idle *= 1 - busy(o)
			}
		}
		return 1 - idle
	}
	for i := range w.Runs {
		r := &w.Runs[i]
		p := beside(r.CPU, func(o CPU) float64 { return foreign[o] })
		more := time.Duration(p * float64(r.Alone))
		r.Alone, r.Shared = r.Alone-more, r.Shared+more
	}
	for i := range w.Others {
		o := &w.Others[i]
		left := w.Dur() - run[o.CPU]
		p := beside(o.CPU, func(x CPU) float64 {
			own := share(alone[x], left)
			return own + (1-own)*foreign[x]
		})
		o.Shared = time.Duration(p * float64(o.Time))
	}
}
