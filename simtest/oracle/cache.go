package oracle

import (
	"sync"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Cache keeps sweeps, so that each is measured once whoever needs it. The zero value is ready; it
// can be used by several goroutines.
type Cache struct {
	mu     sync.Mutex
	sweeps map[key]func() (*Sweep, error)
}

// key is what tells sweeps apart. Profiles and workloads go by name; those derived from a profile
// (WithCores, WithStep) differ in the numbers.
type key struct {
	profile         string
	cores, states   int
	lowest, highest units.Frequency
	workload        string
	threads         int
	seed            uint64
}

// Measure is Measure, done once for the same arguments.
func (c *Cache) Measure(p hardware.Profile, w simtest.Workload, seed uint64) (*Sweep, error) {
	k := key{p.Name, p.Cores, len(p.States), p.Lowest(), p.Highest(), w.Name, w.Threads, seed}
	c.mu.Lock()
	if c.sweeps == nil {
		c.sweeps = map[key]func() (*Sweep, error){}
	}
	get, ok := c.sweeps[k]
	if !ok {
		get = sync.OnceValues(func() (*Sweep, error) { return Measure(p, w, seed) })
		c.sweeps[k] = get
	}
	c.mu.Unlock()
	return get()
}
