package simhost_test

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/ebb-energy/ebb/simtest"
)

// part is a stretch of a program: steps of 100,000 instructions.
type part struct {
	mix   simtest.Mix
	steps int
}

// unseen is a program drawn from a seed: one to four threads through stretches of two to five kinds
// of work, 20 ms to 1 s each, for 2 to 4 s at 4 GHz.
func unseen(seed uint64) simtest.Workload {
	rng := rand.New(rand.NewPCG(seed, 0x70726f67))
	threads, list := 1+rng.IntN(4), unseenParts(rng)
	return unseenBeside(threads, list, 0)
}

// unseenBeside is that program with so many threads of others, which compute until it has ended.
// Their ids come after its own.
func unseenBeside(threads int, list []part, others int) simtest.Workload {
	return simtest.Workload{Name: "unseen", Threads: threads, Build: func(b *simtest.Builder) {
		together, left := b.Barrier(b.Threads()), b.Threads()
		for range b.Threads() {
			b.Thread("worker", simtest.App, func(t *simtest.Thread) {
				for i := range list {
					for range list[i].steps {
						t.Run(&list[i].mix, 100_000)
					}
					t.Arrive(together)
				}
				left--
			})
		}
		for range others {
			b.Thread("other", simtest.App, func(t *simtest.Thread) {
				for left > 0 {
					t.Run(&compute, 100_000)
				}
			})
		}
	}}
}

func unseenParts(rng *rand.Rand) (list []part) {
	kinds := make([]simtest.Mix, 2+rng.IntN(4))
	for i := range kinds {
		kinds[i] = simtest.Mix{Name: "kind " + strconv.Itoa(i), CPI: 0.4 + 0.6*rng.Float64(),
			L3: 10 * rng.Float64(), Memory: 20 * math.Pow(rng.Float64(), 2), Stores: 100,
			StoreMisses: rng.Float64(), Parallel: 1 + 3*rng.Float64(),
			Dependent: rng.Float64(), Spread: 0.1}
	}
	length := 20 * math.Exp(math.Log(50)*rng.Float64())
	total := 2000 + 2000*rng.Float64()
	for sum := 0.0; sum < total; {
		ms := length * (0.5 + rng.Float64())
		k := kinds[rng.IntN(len(kinds))]
		// of an instruction, in cycles of 4 GHz, with some 60 ns for memory and 15 for the cache
		cycles := k.CPI + k.Memory/1000*240/k.Parallel + k.L3/1000*60
		list = append(list, part{k, int(ms*4e6/cycles/100_000) + 1})
		sum += ms
	}
	return list
}
