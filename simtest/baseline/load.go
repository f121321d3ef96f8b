package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// load is how ondemand and conservative see how busy a domain is (dbs_update): the highest of its
// CPUs' loads, in percent rounded down, over the time since they last looked.
//
// The kernel's governors look from the scheduler's hook, which is not called on an idle CPU, so the
// time between two looks can be much longer than the sampling rate. Here they look at the sampling
// rate whatever happens, except that a look at which all CPUs have been idle since the last one is
// put off: sleeping CPUs call no hook.
type load struct {
	rate  time.Duration // sampling rate
	at    units.Instant // of the last look
	busy  []time.Duration
	prev  []int // load of the last look; 0 also after it was used a second time
	begun bool
}

// idlePeriods says that no CPU was idle for long.
const noIdlePeriods = int(^uint(0) >> 1)

// look gives the load since the last look, and how many sampling periods all CPUs have been idle
// for (noIdlePeriods: not long). ok is false when there was nothing to look at.
func (l *load) look(s *Sample) (percent, idlePeriods int, ok bool) {
	if !l.begun {
		l.begun = true
		l.prev = make([]int, len(s.Busy))
		l.at, l.busy = s.At, append([]time.Duration(nil), s.Busy...)
		return 0, 0, false
	}
	elapsed := s.At.Sub(l.at)
	ran := false
	for c := range s.Busy {
		ran = ran || s.Busy[c] > l.busy[c]
	}
	if elapsed <= 0 || !ran {
		return 0, 0, false
	}
	idlePeriods = noIdlePeriods
	for c := range s.Busy {
		idle := max(elapsed-(s.Busy[c]-l.busy[c]), 0)
		l.busy[c] = s.Busy[c]
		load := 0
		if idle > 2*l.rate && l.prev[c] > 0 {
			// After a long idle stretch the little that ran since says nothing of what comes, so
			// the load from before is used once more, and only once.
			load, l.prev[c] = l.prev[c], 0
		} else {
			load = int(100 * (elapsed - idle) / elapsed)
			l.prev[c] = load
		}
		if idle > 2*l.rate {
			idlePeriods = min(idlePeriods, int(idle/l.rate))
		}
		percent = max(percent, load)
	}
	l.at = s.At
	return percent, idlePeriods, true
}

// samplingRate is the kernel's default: two ticks, or the driver's delay where that is longer.
func samplingRate(d Domain) time.Duration { return max(2*Tick, d.Delay) }
