package run

import (
	"runtime"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/attribution"
)

const (
	// mostUnread is the number of samples that may come in a rest, at most: half of those that may
	// wait for the sandbox child.
	mostUnread = 32
	// unreadFor bounds a rest by the sampler's ring, which holds an eighth of a second of the
	// deepest stacks and copies none when it is half full.
	unreadFor = time.Second / 16
	// metEarly is the time after the birth of a process in which ebb looks at each quantum's end.
	// A process is sampled once it has used a period of CPU time, and is to be met while it lives.
	metEarly = 50 * time.Millisecond
)

// rests reports whether the governor may rest.
func (s *Settings) rests() bool { return s.Rest > 1 && s.HoldOff <= 1 }

// births is the time after the birth of a process in which the governor does not rest.
func (s *Settings) births() time.Duration {
	if !s.Methods.Wanted || !s.rests() {
		return 0
	}
	return metEarly
}

// limitRest has a rest be no longer than the ledgers allow: what is not read in it must have room,
// and windows that are shorter than the usual ones end with quanta.
func (s *Settings) limitRest() {
	m := &s.Methods
	if m.Window > 0 && m.Window < attribution.Period {
		s.Rest = 1
	}
	if m.Wanted {
		s.Rest = min(s.Rest, sampledRest(m.Rate, runtime.NumCPU(), s.Quantum))
	}
}

// sampledRest is the most quanta that may pass as one where so many CPUs are sampled; at least 1.
func sampledRest(rate, cpus int, quantum time.Duration) int {
	longest := min(unreadFor, mostUnread*time.Second/time.Duration(max(rate, 1)*max(cpus, 1)))
	return max(1, int(longest/max(quantum, 1)))
}
