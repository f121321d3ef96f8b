package workload

import "github.com/ebb-energy/ebb/simtest"

// locks returns a program whose contention depends on the clock: what its threads do alone is
// computing and gets shorter with a faster clock, what they do under their one lock waits for
// memory and does not. At a low frequency the lock is mostly free; at a high one threads queue for
// it, and time at a lower frequency says little about how long they will.
func locks() simtest.Workload {
	return simtest.Workload{Name: "locks", Threads: 4,
		Build: func(b *simtest.Builder) { buildLocks(b, 5200, jvmSpin) }}
}

// spinPark returns a program like locks, with several locks, short sections and threads that try
// for long before they sleep. The instructions that they spend on trying are no work.
func spinPark() simtest.Workload {
	return simtest.Workload{Name: "spinpark", Threads: 4,
		Build: func(b *simtest.Builder) { buildSpinPark(b, 15000) }}
}

var (
	compute = simtest.Mix{Name: "compute", CPI: 0.65, L3: 0.6, Memory: 0.05, Stores: 80,
		StoreMisses: 0.05, Parallel: 1.3, Spread: 0.1}
	update = simtest.Mix{Name: "update", CPI: 0.9, L3: 4, Memory: 14, Transfers: 3, Stores: 100,
		StoreMisses: 2,
		Parallel:    1.2, Dependent: 0.8, Spread: 0.2}
)

func buildLocks(b *simtest.Builder, rounds int, spin int64) {
	m := b.Mutex(spin)
	for range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for range rounds {
				t.Run(&compute, int64(140_000*vary(t.Rand(), 0.3)))
				t.Lock(m)
				t.Run(&update, int64(11_000*vary(t.Rand(), 0.5)))
				t.Unlock(m)
			}
		})
	}
}

func buildSpinPark(b *simtest.Builder, rounds int) {
	var stripes [3]*simtest.Mutex
	for i := range stripes {
		stripes[i] = b.Mutex(15_000)
	}
	for range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			for range rounds {
				m := stripes[t.Rand().IntN(len(stripes))]
				t.Run(&dataFlow, int64(30_000*vary(t.Rand(), 0.5)))
				t.Lock(m)
				t.Run(&update, int64(4_000*vary(t.Rand(), 0.4)))
				t.Unlock(m)
			}
		})
	}
}
