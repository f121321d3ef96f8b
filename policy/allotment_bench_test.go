package policy

import (
	"testing"
)

func BenchmarkAllotment(b *testing.B) {
	a := newAllotment(b, AllotmentConfig{Slowdown: 0.05, States: steps125})
	var w Predictions = work{Scaling: 2e6, Fixed: 3e6}
	q := busy(5 * ms)
	q.Delivered, q.Took = 4*ghz, 5e6
	b.ReportAllocs()
	for b.Loop() {
		a.Decide(q, w)
	}
}
