package stream

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// BenchmarkLine: a line of a program with 20 threads and 200 methods, and one at all bounds.
func BenchmarkLine(b *testing.B) {
	for _, c := range []struct {
		name             string
		threads, methods int
	}{{"usual", 20, 200}, {"bounds", 16384, 4096}} {
		b.Run(c.name, func(b *testing.B) {
			a := New(0, time.Second)
			for t := range epochs.TID(c.threads) {
				a.Name(t+1, 1, "worker")
				a.Charged(t+1, units.Energy(t))
				for k := range max(maxCells/c.threads, 16) {
					if c.threads > maxApart || k < 50 {
						i := a.Method(fmt.Sprintf("some.method%d", (int(t)*7+k)%c.methods))
						a.Booked(t+1, i, 1000, ms, 1, 1e6)
					}
				}
			}
			b.ResetTimer()
			for i := range b.N {
				l := a.Line(units.Instant(i+1), &Machine{}, nobody, same)
				if _, err := l.Encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBooked: what a sample adds to an account.
func BenchmarkBooked(b *testing.B) {
	a := New(0, time.Second)
	i := a.Method("m")
	a.Name(1, 1, "worker")
	for range b.N {
		a.Booked(1, i, 1000, ms, 1, 1e6)
	}
}
