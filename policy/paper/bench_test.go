package paper

import (
	"testing"

	"github.com/ebb-energy/ebb/policy"
)

func BenchmarkSixSteps(b *testing.B) {
	p := newSixSteps(b, steps125, frugal)
	var w policy.Predictions = work{Scaling: 2e6, Fixed: 3e6}
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	b.ReportAllocs()
	for b.Loop() {
		p.Decide(q, w)
	}
}
