package run

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/inventory"
)

const (
	// mostUnread is the most samples that may come in a rest: half of those that may wait for the
	// sandbox child.
	mostUnread = 32
	// unreadFor bounds a rest by the sampler's ring, which holds an eighth of a second of the
	// deepest stacks. When the ring is half full, the sampler copies no
	// stacks.
	unreadFor = time.Second / 16
	// metEarly is the time after the birth of a process in which ebb looks at each quantum's end. A
	// process is sampled once it has used a period of CPU time, and ebb must meet it while it
	// lives.
	metEarly = 50 * time.Millisecond
)

// rests reports whether the governor may rest.
func (s *Settings) rests() bool { return s.Rest > 1 && s.HoldOff <= 1 }

// births returns the time after the birth of a process in which the governor does not rest.
func (s *Settings) births() time.Duration {
	if !s.Methods.Wanted || !s.rests() {
		return 0
	}
	return metEarly
}

// limitRest limits a rest to what the ledgers allow: the samples and events of a rest must have
// room until they are read, and windows shorter than the usual ones end with quanta.
func (s *Settings) limitRest() {
	m := &s.Methods
	if m.Window > 0 && m.Window < attribution.Period {
		s.Rest = 1
	}
	if m.Wanted {
		s.Rest = min(s.Rest, sampledRest(m.Rate, inventory.CPUs(), s.Quantum))
	}
}

// sampledRest returns the most quanta that may pass as one where cpus CPUs are sampled; at least 1.
func sampledRest(rate, cpus int, quantum time.Duration) int {
	longest := min(unreadFor, mostUnread*time.Second/time.Duration(max(rate, 1)*max(cpus, 1)))
	return max(1, int(longest/max(quantum, 1)))
}
