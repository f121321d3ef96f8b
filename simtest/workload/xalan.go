package workload

import "github.com/ebb-energy/ebb/simtest"

// xalan returns DaCapo's XSLT processor: workers take documents from a queue and parse, transform
// and write each.
//
// Kept of the original: the queue under a lock; seventeen documents of unlike sizes, again and
// again; tables of names that all workers share under a lock that they contend for, their critical
// sections chasing pointers; about 1 GB allocated, much of which survives a while, as documents are
// trees. Assumed: how the character of the work moves. The paper shows that its manager changes the
// frequency of xalan widely from quantum to quantum (Figure 8); here there are documents of much
// text, which are parsed and written, and of much structure, which are transformed through
// pointers, and neighbours in the queue are alike, so that stretches of some 50 ms are.
func xalan() simtest.Workload {
	return simtest.Workload{Name: "xalan", Threads: 4, Build: buildXalan}
}

var (
	xmlParse = simtest.Mix{Name: "parse", CPI: 0.8, L3: 2.5, Memory: 0.3, Fetch: 1, Stores: 120,
		StoreMisses: 0.6,
		Parallel:    1.5, Dependent: 0.3, Pressure: 0.1, Spread: 0.15}
	xmlTransform = simtest.Mix{Name: "transform", CPI: 0.75, L3: 3, Memory: 12, Transfers: 0.4,
		Fetch: 0.5, Stores: 90, StoreMisses: 1.5,
		Parallel: 1.8, Dependent: 0.5, Pressure: 0.1, Spread: 0.15}
	xmlWrite = simtest.Mix{Name: "write", CPI: 0.7, L3: 2, Memory: 2.5, Stores: 220, StoreMisses: 6,
		Parallel: 2.5, Dependent: 0.1, Pressure: 0.1, Spread: 0.15}
	nameTable = simtest.Mix{Name: "table", CPI: 0.9, L3: 6, Memory: 7, Transfers: 4, Stores: 60,
		Parallel: 1.2, Dependent: 0.8, Spread: 0.2}
)

func buildXalan(b *simtest.Builder) {
	const (
		rounds    = 100
		documents = 17
	)
	r := newRuntime(b, simtest.HeapConfig{Nursery: bound, Survival: 0.077, Spread: 0.3}, 60)
	table := b.Mutex(jvmSpin)

	var sizes [documents]float64 // sizes are the input, the same in every run
	for i := range sizes {
		sizes[i] = 0.3 + 1.4*float64((i*7)%documents)/(documents-1)
	}
	in, all := input("xalan"), run(b)
	structure := drift(in, rounds*documents, 100)
	type document struct{ parse, transform, write, bytes int64 }
	list := make([]document, rounds*documents)
	for i := range list {
		size := sizes[i%documents] * vary(b.Rand(), 0.05) * all
		share := 0.38 + 0.36*squash(structure[i])
		n := 2.17e6 * size
		list[i] = document{
			parse:     int64(n * (1 - share) * 0.75),
			transform: int64(n * share),
			write:     int64(n * (1 - share) * 0.25),
			bytes:     int64(650 * kib * size),
		}
	}
	r.workers(b, len(list), func(t *simtest.Thread, i int) {
		d := list[i]
		r.need(t)
		r.run(t, &xmlParse, d.parse, d.bytes/2)
		const steps = 20
		for range steps {
			r.run(t, &xmlTransform, d.transform/steps, d.bytes*3/10/steps)
			t.Lock(table)
			t.Run(&nameTable, 5000)
			t.Unlock(table)
		}
		r.run(t, &xmlWrite, d.write, d.bytes/5)
	})
}
