package powermodel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Intervals from six programs with biases of their own hold 90 % of another one's. With 20,000
// draws chance moves the share by less than 1 %.
func TestIntervalsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 0))
	for _, within := range []float64{0.1, 1, 3} {
		held, draws := 0, 20000
		for range draws {
			programs := make([]miss, 6)
			for i := range programs {
				programs[i] = miss{bias: r.NormFloat64(), variance: within * within}
			}
			half := intervalOf(programs).halfWidth(1, false)
			if math.Abs(r.NormFloat64()+within*r.NormFloat64()) <= half {
				held++
			}
		}
		if share := float64(held) / float64(draws); math.Abs(share-confidence) > 0.015 {
			t.Errorf("scatter %v: %.3f held", within, share)
		}
	}
}
