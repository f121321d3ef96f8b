package workload

import "github.com/ebb-energy/ebb/simtest"

// pmd returns DaCapo's source code analyser: workers take files from a queue, parse each to a
// syntax tree and apply rules to it, each of which walks the tree.
//
// Kept of the original: the queue; files of very unlike sizes in the order of packages, so that
// neighbours are alike; the one large file that a single worker is still at when the others have
// run out of work, one rule after another for tens of milliseconds each; trees that survive
// collections; a report that all add to under a lock; some 300 MB allocated. Assumed: that about
// half of the rules walk trees that are larger than the caches and the others compute on what they
// have.
func pmd() simtest.Workload {
	return simtest.Workload{Name: "pmd", Threads: 4,
		Build: func(b *simtest.Builder) {
			buildPmd(b,
				pmdInput{files: 560, large: 336, survival: 0.226})
		}}
}

// pmdScale returns pmd without the large file (Du Bois et al., whom the paper follows).
func pmdScale() simtest.Workload {
	return simtest.Workload{Name: "pmd.scale", Threads: 4,
		Build: func(b *simtest.Builder) { buildPmd(b, pmdInput{files: 560, survival: 0.119}) }}
}

type pmdInput struct {
	files    int
	large    float64 // size of the large file in those of an ordinary one; 0 for none
	survival float64
}

var (
	javaParse = simtest.Mix{Name: "parse", CPI: 0.85, L3: 5, Memory: 0.7, Fetch: 3, Stores: 120,
		StoreMisses: 1,
		Parallel:    1.4, Dependent: 0.3, Pressure: 0.1, Spread: 0.15}
	treeWalk = simtest.Mix{Name: "walk", CPI: 0.85, L3: 6, Memory: 11, Fetch: 1, Stores: 70,
		StoreMisses: 0.5,
		Parallel:    1.6, Dependent: 0.6, Pressure: 0.15, Spread: 0.2}
	dataFlow = simtest.Mix{Name: "flow", CPI: 0.8, L3: 3, Memory: 0.7, Fetch: 1.5, Stores: 110,
		StoreMisses: 1,
		Parallel:    1.5, Dependent: 0.4, Pressure: 0.1, Spread: 0.2}
)

func buildPmd(b *simtest.Builder, in pmdInput) {
	r := newRuntime(b,
		simtest.HeapConfig{Nursery: bound / 2, Survival: in.survival, Spread: 0.35}, 80)
	report := b.Mutex(jvmSpin)

	const rules = 6
	type file struct {
		parse, bytes int64
		rule         [rules]int64
		walk         [rules]bool
	}
	lines, all := input("pmd"), run(b)
	large := -1
	if in.large > 0 {
		large = in.files / 20
	}
	kind := drift(lines, in.files, 60)
	files := make([]file, in.files)
	for i := range files {
		size := vary(lines, 0.7)
		if i == large {
			size = in.large
		}
		n := 2.63e6 * size * all * vary(b.Rand(), 0.02)
		f := file{parse: int64(n * 0.3), bytes: int64(370 * kib * size)}
		for k := range f.rule {
			f.rule[k] = int64(n * 0.7 / rules)
			// Those that walk come first, then those that follow the flow of data; the large file
			// has some of either in turn.
			f.walk[k] = float64(k) < rules*(0.48+0.48*squash(kind[i]))
			if i == large {
				f.walk[k] = k%3 != 2
			}
		}
		files[i] = f
	}
	r.workers(b, len(files), func(t *simtest.Thread, i int) {
		f := files[i]
		r.need(t)
		r.run(t, &javaParse, f.parse, f.bytes*6/10)
		for k, n := range f.rule {
			mix := &dataFlow
			if f.walk[k] {
				mix = &treeWalk
			}
			r.run(t, mix, n, f.bytes*4/10/rules)
		}
		t.Lock(report)
		t.Run(&handling, 3000)
		t.Unlock(report)
	})
}
