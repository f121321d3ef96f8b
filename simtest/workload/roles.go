package workload

import "github.com/ebb-energy/ebb/simtest"

// roles has barriers between threads of unlike character: in each phase one computes, one chases
// pointers, one does some of both and one writes, and in the next they change. Which of them is
// last at the barrier depends on the clock, so the critical thread at one frequency is not the one
// at another.
func roles() simtest.Workload {
	return simtest.Workload{Name: "roles", Threads: 4,
		Build: func(b *simtest.Builder) { buildRoles(b, 1200) }}
}

func buildRoles(b *simtest.Builder, n int) {
	// Instructions that take about as long as each other at 2 GHz: at 1 GHz the computing ones are
	// last, at 4 GHz those that wait for memory.
	parts := []struct {
		mix *simtest.Mix
		n   float64
	}{{&compute, 1_000_000}, {&chase, 260_000}, {&dataFlow, 580_000}, {&xmlWrite, 740_000}}
	lengths := input("roles")
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = vary(lengths, 0.5)
	}
	together := b.Barrier(b.Threads())
	for k := range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for i, size := range sizes {
				p := parts[(i+k)%len(parts)]
				t.Run(p.mix, int64(p.n*size*vary(t.Rand(), 0.1)))
				t.Arrive(together)
			}
		})
	}
}
