package workload

import (
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// server answers requests that come when they come: a pool of threads sleeps until there is one,
// computes, for some requests waits for a disk, computes again. The world outside does not slow
// down with the clock: at every frequency that keeps up, the run takes as long, and there are
// stretches in which nothing runs.
func server() simtest.Workload {
	return simtest.Workload{Name: "server", Threads: 4,
		Build: func(b *simtest.Builder) { buildServer(b, 1400, time.Millisecond) }}
}

var respond = simtest.Mix{Name: "respond", CPI: 0.85, L3: 5, Memory: 1.8, Transfers: 0.4, Fetch: 3,
	Stores: 110, StoreMisses: 0.8,
	Parallel: 1.5, Dependent: 0.4, Pressure: 0.1, Spread: 0.2}

// buildServer has n requests come, gap apart on average, in crowds with pauses between.
func buildServer(b *simtest.Builder, n int, gap time.Duration) {
	type request struct {
		before, after int64 // instructions
		disk          time.Duration
	}
	arrived, load := b.Port(), input("server")
	var list []request
	for at := time.Duration(0); len(list) < n; {
		if len(list)%100 == 99 {
			at += 30 * gap * time.Duration(1+load.IntN(2))
		}
		at += time.Duration(load.ExpFloat64() * 0.6 * vary(b.Rand(), 0.05) * float64(gap))
		r := request{before: int64(600_000 * vary(load, 0.8) * vary(b.Rand(), 0.1)),
			after: int64(300_000 * vary(load, 0.5))}
		if load.Float64() < 0.3 {
			r.disk = time.Duration((0.3 + load.ExpFloat64()) * float64(time.Millisecond))
		}
		list = append(list, r)
		b.Later(at, arrived.Post)
	}
	next := 0
	log := b.Mutex(0)
	for range b.Threads() {
		b.Thread("pool", simtest.App, func(t *simtest.Thread) {
			for next < n {
				t.Down(arrived)
				if next >= n {
					break // posted to end the pool
				}
				r := list[next]
				next++
				t.Run(&respond, r.before)
				if r.disk > 0 {
					t.Sleep(r.disk)
				}
				t.Run(&respond, r.after)
				t.Lock(log)
				t.Run(&handling, 2000)
				t.Unlock(log)
			}
			t.Up(arrived) // ends the next that waits in vain
		})
	}
}
