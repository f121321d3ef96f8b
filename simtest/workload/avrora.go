package workload

import "github.com/ebb-energy/ebb/simtest"

// avrora returns DaCapo's simulator of a network of microcontrollers: a thread for each node.
//
// Kept of the original: before a node looks at the radio it must know what all others sent until
// then, so it waits until they have reached its simulated time; all of it is kept under one
// monitor, and a node that goes on wakes those that wait for it. Nodes sleep most of their
// simulated time, which is skipped quickly, so that one or two of the six are at work at a time.
// Stretches are tens of microseconds: of all programs it has by far the most epochs. It allocates
// little and hardly collects.
func avrora() simtest.Workload {
	return simtest.Workload{Name: "avrora", Threads: 6,
		Build: func(b *simtest.Builder) { buildAvrora(b, 15200) }}
}

var interpret = simtest.Mix{Name: "interpret", CPI: 0.85, L3: 2.2, Memory: 0.25, Transfers: 0.4,
	Fetch: 2, Stores: 110, StoreMisses: 0.1,
	Parallel: 1.2, Dependent: 0.5, Pressure: 0.1, Spread: 0.15}

// air is the simulated time that the nodes share.
type air struct {
	monitor *simtest.Mutex
	passed  *simtest.Cond
	time    []int // steps that each node has done
	waiting int
}

// slowest returns the time that all have reached.
func (a *air) slowest() int {
	least := a.time[0]
	for _, t := range a.time[1:] {
		least = min(least, t)
	}
	return least
}

func buildAvrora(b *simtest.Builder, steps int) {
	r := newRuntime(b, simtest.HeapConfig{Nursery: bound, Survival: 0.0235, Spread: 0.2}, 30)
	a := &air{monitor: b.Mutex(jvmSpin), passed: b.Cond(), time: make([]int, b.Threads())}
	all := run(b)
	for node := range b.Threads() {
		b.Thread("node", simtest.App, func(t *simtest.Thread) {
			r.begin(t)
			for step := 1; step <= steps; step++ {
				// Awake, a node runs its program; asleep, the simulator goes to the next interrupt.
				n := int64(all * float64(12_000+t.Rand().IntN(16_000)))
				if t.Rand().Float64() < 0.15 {
					n = int64(all * 140_000 * vary(t.Rand(), 0.6))
				}
				if step%64 == 0 {
					r.need(t)
				}
				if step%(steps/320+1) == 0 {
					t.Alloc(r.heap, block)
				}
				t.Run(&interpret, n)

				t.Lock(a.monitor)
				t.Run(&handling, 500)
				before := a.slowest()
				a.time[node] = step
				if a.slowest() > before && a.waiting > 0 {
					t.Broadcast(a.passed)
				}
				for a.slowest() < step {
					a.waiting++
					t.Wait(a.passed, a.monitor)
					a.waiting--
				}
				t.Unlock(a.monitor)
			}
			t.Lock(a.monitor)
			a.time[node] = steps + 1
			t.Broadcast(a.passed)
			t.Unlock(a.monitor)
		})
	}
}
