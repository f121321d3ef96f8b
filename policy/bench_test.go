package policy

import (
	"testing"
)

func BenchmarkBudget(b *testing.B) {
	p := newBudget(b, BudgetConfig{Slowdown: 0.05, States: steps125})
	var w Predicted = work{scaling: 2e6, fixed: 3e6}
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(busy(5*ms), w)
	}
}

func BenchmarkSystemEnergy(b *testing.B) {
	p := newSystemEnergy(b, steps125, frugal)
	var w Predicted = work{scaling: 2e6, fixed: 3e6}
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(q, w)
	}
}

func BenchmarkAllotment(b *testing.B) {
	a := newAllotment(b, AllotmentConfig{Slowdown: 0.05, States: steps125})
	var w Predicted = work{scaling: 2e6, fixed: 3e6}
	q := busy(5 * ms)
	q.Delivered, q.Took = 4*ghz, 5e6
	b.ReportAllocs()
	for b.Loop() {
		a.Decide(q, w)
	}
}
