package policy

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestCalls: whatever the curve, the guess and the carried time, 25 states need at most six
// predictions and seven at most four. Phases that last need fewer.
func TestCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for _, tc := range []struct {
		states []units.Frequency
		most   int
	}{{steps125, 6}, {steps500, 4}, {steps125[:1], 1}, {steps125[:2], 2}} {
		total, n, worst := 0, 0, 0
		for answer := range tc.states {
			for guess := range tc.states {
				calls := 0
				p := curve{states: tc.states, t: make([]float64, len(tc.states)), calls: &calls}
				for k := range p.t {
					p.t[k] = 1
					if k < answer {
						p.t[k] = 2 + rng.Float64()
					}
				}
				got, _ := lowest(tc.states, p, 1, 1, guess)
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
			"%d states: %d predictions at worst, %.1f in the mean when the answer is the last one's", len(tc.states), worst, float64(total)/float64(n),
		)
	}
}

// TestLastingPhase: the last answer is tried first, so that most decisions of a phase need less
// than bisection does.
func TestLastingPhase(t *testing.T) {
	calls := 0
	b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125})
	for range 100 {
		b.Decide(busy(5*ms), work{scaling: 1e6, fixed: 4e6, calls: &calls})
	}
	if calls > 500 {
		t.Errorf("%d predictions for 100 decisions", calls)
	}
	t.Logf("%d predictions for 100 decisions", calls)
}
