package workload

import "github.com/ebb-energy/ebb/simtest"

// lusearch returns DaCapo's text search: each thread works through its own share of 64 lists of
// queries against one index.
//
// Kept of the original: no queue; the index is one file with one position, so that Lucene reads it
// under a lock; each query allocates a large array that is needless and dies at once, so that with
// several GB lusearch allocates most of all and zeroing keeps the memory busy; collections are many
// and short.
func lusearch() simtest.Workload {
	return simtest.Workload{Name: "lusearch", Threads: 4, Build: func(b *simtest.Builder) {
		buildLusearch(b, searchInput{instructions: 227_000, bytes: 152 * kib, survival: 0.0137})
	}}
}

// lusearchFix returns lusearch without the needless array (Yang et al., whom the paper follows):
// some 1 GB.
func lusearchFix() simtest.Workload {
	return simtest.Workload{Name: "lusearch.fix", Threads: 4, Build: func(b *simtest.Builder) {
		buildLusearch(b, searchInput{instructions: 154_000, bytes: 32 * kib, survival: 0.0088})
	}}
}

type searchInput struct {
	instructions, bytes int64 // instructions and bytes of a query
	survival            float64
}

var (
	score = simtest.Mix{Name: "score", CPI: 0.7, L3: 2.5, Memory: 0.35, Fetch: 0.3, Stores: 70,
		StoreMisses: 0.2,
		Parallel:    1.8, Dependent: 0.2, Pressure: 0.1, Spread: 0.1}
	lookUp = simtest.Mix{Name: "look-up", CPI: 0.85, L3: 6, Memory: 2, Fetch: 0.5, Stores: 50,
		StoreMisses: 0.2,
		Parallel:    1.4, Dependent: 0.6, Pressure: 0.2, Spread: 0.2}
)

func buildLusearch(b *simtest.Builder, in searchInput) {
	const (
		lists   = 64
		queries = 540
		reads   = 2 // reads of the file by a query
	)
	r := newRuntime(b,
		simtest.HeapConfig{Nursery: 20 * mib, Survival: in.survival, Spread: 0.4}, 40)
	blocks, file := b.Mutex(jvmSpin), b.Mutex(jvmSpin)
	texts, all := input("lusearch"), run(b)
	sizes := make([]float64, lists*queries)
	for i := range sizes {
		sizes[i] = vary(texts, 0.4) * all
	}
	for k := range b.Threads() {
		b.Thread("query", simtest.App, func(t *simtest.Thread) {
			r.begin(t)
			for l := k; l < lists; l += b.Threads() {
				r.need(t)
				for _, size := range sizes[l*queries : (l+1)*queries] {
					n := int64(float64(in.instructions) * size)
					t.Lock(blocks) // free blocks come from a list that all share
					t.Run(&handling, 250)
					t.Unlock(blocks)
					t.Alloc(r.heap, in.bytes)
					t.Run(&lookUp, n/8)
					for range reads {
						t.Lock(file)
						t.Run(&lookUp, n/16/reads)
						t.Unlock(file)
						t.Run(&score, (n-n/8-n/16)/reads)
					}
				}
			}
		})
	}
}
