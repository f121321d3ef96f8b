package hardware

import (
	"fmt"
	"math/rand/v2"
)

// SMT has two hardware threads share a core: numbers 2k and 2k+1 of Profile.Cores. While both run,
// they have half of the reorder buffer and of the store queue each, as Intel's processors divide
// them, and these shares of their speed. With one idle the other has the core to itself.
type SMT struct {
	// Compute is the throughput of core cycles, over that of a thread alone; 0 for a machine
	// without SMT.
	Compute float64
	// Memory is the misses of a thread alone over those beside another: the core's own caches are
	// shared.
	Memory float64
}

// WithSMT returns the same machine with two hardware threads on each core, and half as many cores.
// The seed draws what a thread loses beside another.
//
// Two threads together do some 1.1 to 1.5 times the work of one on processors with two hardware
// threads (Intel's own figures for hyper-threading are 1.15 to 1.3), so each keeps 0.55 to 0.75 of
// its speed. A thread that waits for memory keeps more, or little where two working sets do not fit
// into one cache.
func (p Profile) WithSMT(seed uint64) (Profile, error) {
	if p.Cores%2 != 0 {
		return p, fmt.Errorf("profile %s: %d hardware threads are not two for each core", p.Name,
			p.Cores)
	}
	rng := rand.New(rand.NewPCG(seed, 0x736d74))
	p.SMT = SMT{Compute: 0.55 + 0.2*rng.Float64(), Memory: 0.6 + 0.35*rng.Float64()}
	p.Name += fmt.Sprintf("-smt-%d", seed)
	return p, nil
}

// Physical returns the number of cores; Cores counts hardware threads.
func (p *Profile) Physical() int {
	if p.SMT.Compute > 0 {
		return p.Cores / 2
	}
	return p.Cores
}

func (s *SMT) validate(p *Profile) error {
	if *s == (SMT{}) {
		return nil
	}
	if p.Cores%2 != 0 || !(s.Compute > 0 && s.Compute <= 1) || !(s.Memory > 0 && s.Memory <= 1) {
		return fmt.Errorf("profile %s: %d hardware threads with shares of %v and %v", p.Name,
			p.Cores, s.Compute, s.Memory)
	}
	return nil
}
