package attribution

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/energy"
)

// tick is the unit of /proc/stat: USER_HZ is 100 on every architecture that Linux runs on but
// alpha.
const tick = 10 * time.Millisecond

// mostTicks is more than any machine has run for; sums of it still fit into a Duration.
const mostTicks = int64(math.MaxInt64) / int64(tick) / 8

// busy reads the busy time of each CPU, with any program, from the text of /proc/stat: user, nice,
// system, irq and softirq time. Time stolen by a hypervisor is another machine's. Lines that make
// no sense are skipped.
func busy(stat string) map[energy.CPU]time.Duration {
	out := map[energy.CPU]time.Duration{}
	for line := range strings.Lines(stat) {
		if !strings.HasPrefix(line, "cpu") {
			continue // of those behind the CPUs' some are very long
		}
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		n, err := strconv.ParseUint(fields[0][3:], 10, 31)
		if err != nil {
			continue // the sum of all
		}
		var ticks int64
		for _, i := range []int{1, 2, 3, 6, 7} {
			v, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil || v < 0 || v > mostTicks {
				ticks = -1
				break
			}
			ticks += v
		}
		if ticks >= 0 {
			out[energy.CPU(n)] = time.Duration(ticks) * tick
		}
	}
	return out
}

// others returns the CPUs' busy time between two readings.
func others(before, after map[energy.CPU]time.Duration) (out []energy.Other) {
	for c, b := range after {
		if a, ok := before[c]; ok && b > a {
			out = append(out, energy.Other{CPU: c, Time: b - a})
		}
	}
	return out
}

// sortOthers brings the others' times into the order of the CPUs.
func sortOthers(list []energy.Other) {
	slices.SortFunc(list, func(a, b energy.Other) int { return cmp.Compare(a.CPU, b.CPU) })
}

// without subtracts the target's own time from the CPUs' busy time. The kernel's coarse clock puts
// some of that into the next window, so the difference can be negative; it then counts as zero.
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
