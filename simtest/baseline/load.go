package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// load is the load of a domain as ondemand and conservative compute it (dbs_update): the highest of
// its CPUs' loads, in percent rounded down, over the time since the last sample.
//
// The kernel's governors sample in the scheduler's hook, which an idle CPU does not call, so the
// time between two samples can be much longer than the sampling rate. Here they sample at the
// sampling rate, with one exception: as sleeping CPUs call no hook, a sample is put off if all CPUs
// have been idle since the one before.
type load struct {
	rate  time.Duration // sampling rate
	at    units.Instant // time of the last sample
	busy  []time.Duration
	prev  []int // load of the last sample; 0 also after it was used a second time
	begun bool
}

// noIdlePeriods says that no CPU was idle for long.
const noIdlePeriods = int(^uint(0) >> 1)

// look returns the load since the last sample, and the number of sampling periods for which all
// CPUs have been idle (noIdlePeriods: less than one). ok is false when there is nothing to sample.
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

// samplingRate returns the kernel's default: two ticks, or the driver's delay where that is longer.
func samplingRate(d Domain) time.Duration { return max(2*Tick, d.Delay) }
