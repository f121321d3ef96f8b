package campaign

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestObservedCampaign runs some cases on machines where observing costs the program a part of each
// quantum: all rules hold, and what decisions have paid is no more than the cost. In the first two
// seeds it costs a program of one core 4 % of its time, and a slack is rounded twice.
func TestObservedCampaign(t *testing.T) {
	first, last, one := cases(*runs / 2)
	seeds := []uint64{5016, 5042}
	if one {
		seeds = nil
	}
	for s := first; s <= last; s++ {
		seeds = append(seeds, s)
	}
	for _, s := range seeds {
		c := Draw(s)
		rng := rand.New(rand.NewPCG(s, 0x6f776e63))
		c.Options.Overhead = time.Duration(1 + rng.Int64N(int64(c.Options.Quantum/10)))
		r, err := Run(&c)
		if err != nil {
			t.Errorf("seed %d: %v\n  %v", s, err, &c)
			continue
		}
		for _, b := range r.Broken {
			t.Errorf("seed %d, overhead %v: %v\n  %v", s, c.Options.Overhead, b, &c)
		}
	}
}
