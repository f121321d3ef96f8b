package campaign

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/simtest"
)

// randomProgram returns a program of threads that do some of everything, in an order that the seed
// decides. It takes some 10 to 500 ms. It cannot deadlock: locks do not nest, and all threads do
// every step that waits for others.
func randomProgram(r *rand.Rand) simtest.Workload {
	seed := r.Uint64()
	threads := 1 + r.IntN(8)
	return simtest.Workload{Name: fmt.Sprintf("random.%x", seed), Threads: threads,
		Build: func(b *simtest.Builder) {
			// The shape is the seed's and not the machine's, so that a case says all about its
			// program.
			build(b, rand.New(rand.NewPCG(seed, 1)))
		}}
}

// step is one thing that a thread does in each round.
type step func(t *simtest.Thread)

func build(b *simtest.Builder, r *rand.Rand) {
	n := b.Threads()
	mixes := make([]*simtest.Mix, 1+r.IntN(4))
	for i := range mixes {
		mixes[i] = randomMix(r)
	}
	mix := func() *simtest.Mix { return mixes[r.IntN(len(mixes))] }
	var heap *simtest.Heap
	if r.IntN(3) == 0 {
		heap = b.Heap(simtest.HeapConfig{
			Nursery:          256<<10 + r.Int64N(4<<20),
			Survival:         0.02 + 0.2*r.Float64(),
			Spread:           0.5 * r.Float64(),
			Collectors:       1 + r.IntN(4),
			RootInstructions: r.Int64N(100_000),
		})
	}
	locks := []*simtest.Mutex{b.Mutex(0), b.Mutex(r.Int64N(20_000))}
	var steps []step
	for range 1 + r.IntN(6) {
		steps = append(steps, randomStep(b, r, n, mix, heap, locks))
	}
	rounds := 20 + r.IntN(200)
	for i := range n {
		b.Thread(fmt.Sprintf("t%d", i), simtest.App, func(t *simtest.Thread) {
			for range rounds {
				for _, s := range steps {
					s(t)
				}
			}
		})
	}
}

// randomStep returns a step that every one of n threads does in each round.
func randomStep(
	b *simtest.Builder, r *rand.Rand, n int, mix func() *simtest.Mix, heap *simtest.Heap,
	locks []*simtest.Mutex,
) step {
	m := mix()
	instructions := 5_000 + r.Int64N(1_000_000)
	switch k := r.IntN(8); {
	case k == 0 && n > 1:
		bar := b.Barrier(n)
		return func(t *simtest.Thread) { t.Arrive(bar) }
	case k == 1 || k == 2:
		lock, inside := locks[r.IntN(len(locks))], 500+r.Int64N(50_000)
		return func(t *simtest.Thread) {
			t.Lock(lock)
			t.Run(m, inside)
			t.Unlock(lock)
		}
	case k == 3:
		most := int64(2 * time.Millisecond)
		return func(t *simtest.Thread) { t.Sleep(time.Duration(t.Rand().Int64N(most))) }
	case k == 4 && heap != nil:
		bytes := 1<<10 + r.Int64N(200<<10)
		return func(t *simtest.Thread) {
			t.Alloc(heap, bytes)
			t.Run(m, instructions/4)
		}
	case k == 5:
		return func(t *simtest.Thread) {
			child := t.Spawn("child", simtest.App,
				func(t *simtest.Thread) { t.Run(m, instructions/2) })
			t.Run(m, instructions/4)
			t.Join(child)
		}
	}
	return func(t *simtest.Thread) { t.Run(m, instructions/2+t.Rand().Int64N(instructions)) }
}

// randomMix returns a character of code, from pure computing to waiting for memory only.
func randomMix(r *rand.Rand) *simtest.Mix {
	heavy := r.Float64() * r.Float64()
	m := &simtest.Mix{
		Name:      "random",
		CPI:       0.3 + 1.2*r.Float64(),
		L3:        20 * heavy * r.Float64(),
		Memory:    25 * heavy * r.Float64(),
		Transfers: 3 * heavy * r.Float64(),
		Fetch:     2 * r.Float64() * r.Float64(),
		Parallel:  1 + 6*r.Float64(),
		Dependent: r.Float64(),
		Pressure:  0.5 * r.Float64(),
		Spread:    r.Float64(),
	}
	if r.IntN(2) == 0 {
		m.Stores = 300 * r.Float64()
		m.StoreMisses = m.Stores * 0.3 * r.Float64() * r.Float64()
	}
	if r.IntN(2) == 0 {
		m.Ahead = 4 + 60*r.Float64()
	}
	return m
}
