package policy

import (
	"testing"
)

func BenchmarkBudget(b *testing.B) {
	p := newBudget(b, BudgetConfig{Slowdown: 0.05, States: steps125})
	var w Predictions = work{Scaling: 2e6, Fixed: 3e6}
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(busy(5*ms), w)
	}
}
