package budget

import (
	"testing"

	"github.com/ebb-energy/ebb/policy"
)

func BenchmarkBudget(b *testing.B) {
	p := newBudget(b, Config{Slowdown: 0.05, States: steps125})
	var w policy.Predictions = work{Scaling: 2e6, Fixed: 3e6}
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(busy(5*ms), w)
	}
}
