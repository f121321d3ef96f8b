package workload

import "github.com/ebb-energy/ebb/simtest"

// phases flips between computing and waiting for memory, all threads together, each phase 20 to 100
// ms long at 4 GHz. One frequency is wrong for both; a governor that follows has a few quanta to
// find out.
func phases() simtest.Workload {
	return simtest.Workload{Name: "phases", Threads: 4,
		Build: func(b *simtest.Builder) { buildPhases(b, 24, 1) }}
}

// chase follows pointers through data much larger than the shared cache.
var chase = simtest.Mix{Name: "chase", CPI: 0.8, L3: 2, Memory: 16, Stores: 40, StoreMisses: 0.5,
	Parallel: 1.4, Dependent: 0.7, Spread: 0.1}

// buildPhases makes n phases. Their lengths are multiplied by scale.
func buildPhases(b *simtest.Builder, n int, scale float64) {
	const step = 200_000
	type phase struct {
		mix   *simtest.Mix
		steps int
	}
	lengths, all := input("phases"), run(b)
	list := make([]phase, n)
	for i := range list {
		ms := scale * all * (20 + 80*lengths.Float64())
		if i%2 == 0 {
			// about 5.4 million instructions a ms at 4 GHz,
			list[i] = phase{&compute, int(ms*5.4e6/step) + 1}
		} else {
			list[i] = phase{&chase, int(ms*0.9e6/step) + 1} // and 0.9 million
		}
	}
	together := b.Barrier(b.Threads())
	for range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for _, p := range list {
				for range p.steps {
					t.Run(p.mix, step)
				}
				t.Arrive(together)
			}
		})
	}
}

// bandwidth streams through large arrays on all threads, faster than the memory can: time depends
// on how many threads ask at once and hardly on the clock, until it is so low that they ask less.
func bandwidth() simtest.Workload {
	return simtest.Workload{Name: "bandwidth", Threads: 4,
		Build: func(b *simtest.Builder) { buildBandwidth(b, 240, 20) }}
}

var (
	// sum reads eight doubles a line: a load miss every 25 instructions, all known in advance.
	sum = simtest.Mix{Name: "sum", CPI: 0.6, Memory: 30, Stores: 20, Parallel: 6, Spread: 0.05}
	// scale reads and writes.
	scale = simtest.Mix{Name: "scale", CPI: 0.6, Memory: 16, Stores: 150, StoreMisses: 16,
		Parallel: 6, Spread: 0.05}
)

func buildBandwidth(b *simtest.Builder, sweeps, steps int) {
	together := b.Barrier(b.Threads())
	for range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for sweep := range sweeps {
				mix := &sum
				if sweep%3 == 2 {
					mix = &scale
				}
				for range steps {
					t.Run(mix, 100_000)
				}
				t.Run(&compute, 300_000) // each thread's own part of the result
				t.Arrive(together)
			}
		})
	}
}

// single returns a program of one thread: stretches of unlike character after each other, no
// synchronisation at all.
func single() simtest.Workload {
	return simtest.Workload{Name: "single", Threads: 1,
		Build: func(b *simtest.Builder) { buildSingle(b, 60) }}
}

func buildSingle(b *simtest.Builder, stretches int) {
	lengths, all := input("single"), run(b)
	mixes := []*simtest.Mix{&compute, &chase, &dataFlow, &sum, &xmlWrite, &javaParse}
	sizes := make([]float64, stretches)
	for i := range sizes {
		sizes[i] = vary(lengths, 0.5) * all
	}
	for range b.Threads() {
		b.Thread("main", simtest.App, func(t *simtest.Thread) {
			for i := range stretches {
				mix := mixes[i%len(mixes)]
				for range int(80 * sizes[i]) {
					t.Run(mix, 300_000)
				}
			}
		})
	}
}
