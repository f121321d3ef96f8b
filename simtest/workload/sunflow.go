package workload

import "github.com/ebb-energy/ebb/simtest"

// sunflow returns DaCapo's ray tracer: workers take square parts of the image from a queue and
// trace the rays of each.
//
// Kept of the original: large independent pieces, so that it scales and has few epochs; arithmetic
// on a scene that fits the shared cache; some 2 GB of small objects (rays, intersections, colours)
// that die at once; images one after another, with all waiting for the last part of each.
func sunflow() simtest.Workload {
	return simtest.Workload{Name: "sunflow", Threads: 4, Build: buildSunflow}
}

var (
	trace = simtest.Mix{Name: "trace", CPI: 0.68, L3: 0.5, Memory: 0.1, Fetch: 0.2, Stores: 90,
		StoreMisses: 0.05,
		Parallel:    1.4, Dependent: 0.3, Pressure: 0.15, Spread: 0.1}
	shade = simtest.Mix{Name: "shade", CPI: 0.72, L3: 2, Memory: 0.3, Fetch: 0.5, Stores: 110,
		StoreMisses: 0.1,
		Parallel:    1.6, Dependent: 0.3, Pressure: 0.15, Spread: 0.1}
)

func buildSunflow(b *simtest.Builder) {
	const (
		images = 4
		parts  = 256
	)
	r := newRuntime(b, simtest.HeapConfig{Nursery: bound, Survival: 0.0141, Spread: 0.3}, 50)
	scene, all := input("sunflow"), run(b)
	sizes := make([]float64, images*parts)
	for i := range sizes {
		sizes[i] = vary(scene, 0.35) * all
	}
	done := b.Barrier(b.Threads())
	var queues [images]*queue
	for i := range queues {
		queues[i] = newQueue(b, parts)
	}
	for range b.Threads() {
		b.Thread("render", simtest.App, func(t *simtest.Thread) {
			r.begin(t)
			for image, q := range queues {
				for {
					part, ok := q.take(t)
					if !ok {
						break
					}
					r.need(t)
					n := int64(25.7e6 * sizes[image*parts+part])
					r.run(t, &trace, n*8/10, n*8/10/15)
					r.run(t, &shade, n*2/10, n*2/10/15)
				}
				t.Arrive(done)
			}
		})
	}
}
