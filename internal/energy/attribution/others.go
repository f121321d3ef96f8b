package attribution

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// busy reads the busy time of each CPU, with any program, from the text of /proc/stat. It skips
// lines that make no sense.
func busy(stat string) map[energy.CPU]time.Duration {
	out := map[energy.CPU]time.Duration{}
	proc.EachCPU(stat, func(l proc.CPULine, err error) {
		if err == nil && l.CPU != proc.AllCPUs {
			out[energy.CPU(l.CPU)] = l.Busy()
		}
	})
	return out
}

// others returns the CPUs' busy time between two readings, in the order of the CPUs.
func others(before, after map[energy.CPU]time.Duration) (out []energy.Other) {
	for c, b := range after {
		if a, ok := before[c]; ok && b > a {
			out = append(out, energy.Other{CPU: c, Time: b - a})
		}
	}
	sortOthers(out)
	return out
}

// sortOthers brings the others' times into the order of the CPUs.
func sortOthers(list []energy.Other) {
	slices.SortFunc(list, func(a, b energy.Other) int { return cmp.Compare(a.CPU, b.CPU) })
}

// without subtracts the target's own time from the CPUs' busy time. The kernel's coarse clock puts
// some of that into the next window, so the difference can be negative. It then counts as zero.
func without(w *energy.Window) {
	for i := range w.Others {
		o := &w.Others[i]
		var best time.Duration
		for j := range w.Runs {
			if r := &w.Runs[j]; r.CPU == o.CPU {
				o.Time -= r.Time()
				if r.Time() > best {
					best, o.Frequency = r.Time(), r.Frequency
				}
			}
		}
		o.Time = max(o.Time, 0)
	}
}
