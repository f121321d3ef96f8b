package campaign

import (
	"math/rand/v2"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// drawSMT has one machine in three of those with an even number of cores have two hardware threads
// on each.
func drawSMT(r *rand.Rand, p *hardware.Profile) {
	if r.IntN(3) > 0 {
		return
	}
	if shared, err := p.WithSMT(r.Uint64()); err == nil {
		*p = shared
	}
}
