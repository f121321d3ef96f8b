package policy

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestFewPredictionsAreNeeded: whatever the curve, the guess and the carried time, 25 states need
// at most six predictions and seven at most four. Phases that last need fewer.
func TestFewPredictionsAreNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for _, tc := range []struct {
		states []units.Frequency
		most   int
	}{{steps125, 6}, {steps500, 4}, {steps125[:1], 1}, {steps125[:2], 2}} {
		total, n, worst := 0, 0, 0
		for answer := range tc.states {
			for guess := range tc.states {
				calls := 0
				p := curve{States: tc.states, T: make([]float64, len(tc.states)), Calls: &calls}
				for k := range p.T {
					p.T[k] = 1
					if k < answer {
						p.T[k] = 2 + rng.Float64()
					}
				}
				got, _ := states(tc.states).Lowest(p, 1, 1, guess)
				if got != answer {
					t.Fatalf("found %d, want %d", got, answer)
				}
				calls++ // the highest state's, which the caller asks for
				if worst = max(worst, calls); answer == guess {
					total, n = total+calls, n+1
				}
			}
		}
		if worst != tc.most {
			t.Errorf("%d states: %d predictions at worst, want %d", len(tc.states), worst, tc.most)
		}
		t.Logf(
			"%d states: %d predictions at worst, %.1f in the mean when the answer is "+
				"the last one's", len(tc.states), worst, float64(total)/float64(n),
		)
	}
}
