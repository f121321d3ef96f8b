package workload

import (
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// quickManaged has a heap, a compiler, a queue and a contended lock.
func quickManaged() simtest.Workload {
	return simtest.Workload{Name: "quick.managed", Threads: 4, Build: func(b *simtest.Builder) {
		r := newRuntime(b, simtest.HeapConfig{Nursery: mib, Survival: 0.08, Spread: 0.3}, 6)
		m := b.Mutex(jvmSpin)
		r.workers(b, 60, func(t *simtest.Thread, i int) {
			r.need(t)
			r.run(t, &xmlParse, 600_000, 160*kib)
			t.Lock(m)
			t.Run(&update, 8000)
			t.Unlock(m)
			r.run(t, &xmlTransform, 200_000, 64*kib)
		})
	}}
}

// quickLocks has one lock that all want.
func quickLocks() simtest.Workload {
	return simtest.Workload{Name: "quick.locks", Threads: 4,
		Build: func(b *simtest.Builder) { buildLocks(b, 150, 500) }}
}

// quickBarriers flips between phases of 1 to 5 ms.
func quickBarriers() simtest.Workload {
	return simtest.Workload{Name: "quick.barriers", Threads: 4,
		Build: func(b *simtest.Builder) { buildPhases(b, 10, 0.05) }}
}

// quickServer sleeps more than it runs.
func quickServer() simtest.Workload {
	return simtest.Workload{Name: "quick.server", Threads: 4,
		Build: func(b *simtest.Builder) { buildServer(b, 60, 500*time.Microsecond) }}
}

// quickChurn starts and ends threads all the time, as a program does that has a thread for each
// request.
func quickChurn() simtest.Workload {
	return simtest.Workload{Name: "quick.churn", Threads: 4, Build: func(b *simtest.Builder) {
		n := b.Threads()
		b.Thread("main", simtest.App, func(t *simtest.Thread) {
			for range 30 {
				children := make([]*simtest.Thread, n)
				for i := range children {
					children[i] = t.Spawn("child", simtest.App, func(t *simtest.Thread) {
						t.Run(&dataFlow, int64(400_000*vary(t.Rand(), 0.5)))
						if i == 0 {
							t.Sleep(200 * time.Microsecond)
						}
					})
				}
				t.Run(&compute, 100_000)
				for _, c := range children {
					t.Join(c)
				}
			}
		})
	}}
}

// quickCrowd has twice as many threads as asked for, so that they share cores.
func quickCrowd() simtest.Workload {
	return simtest.Workload{Name: "quick.crowd", Threads: 4, Build: func(b *simtest.Builder) {
		together := b.Barrier(2 * b.Threads())
		for range 2 * b.Threads() {
			b.Thread("worker", simtest.App, func(t *simtest.Thread) {
				for range 6 {
					t.Run(&treeWalk, int64(1_200_000*vary(t.Rand(), 0.4)))
					t.Arrive(together)
				}
			})
		}
	}}
}

// quickSingle returns one thread that never sleeps.
func quickSingle() simtest.Workload {
	return simtest.Workload{Name: "quick.single", Threads: 1, Build: func(b *simtest.Builder) {
		b.Thread("main", simtest.App, func(t *simtest.Thread) {
			for i := range 24 {
				t.Run([]*simtest.Mix{&compute, &chase, &sum}[i%3], 1_500_000)
			}
		})
	}}
}
