package policy

import (
	"testing"
)

func BenchmarkSixSteps(b *testing.B) {
	p := newSixSteps(b, steps125, frugal)
	var w Predictions = work{Scaling: 2e6, Fixed: 3e6}
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(q, w)
	}
}
