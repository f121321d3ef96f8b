package policy

import (
	"testing"
)

// TestLastingPhaseNeedsFewerPredictions: the policy tries the last answer first, so most decisions
// of a phase need fewer predictions than bisection.
func TestLastingPhaseNeedsFewerPredictions(t *testing.T) {
	calls := 0
	b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125})
	for range 100 {
		b.Decide(busy(5*ms), work{Scaling: 1e6, Fixed: 4e6, Calls: &calls})
	}
	if calls > 500 {
		t.Errorf("%d predictions for 100 decisions", calls)
	}
	t.Logf("%d predictions for 100 decisions", calls)
}
