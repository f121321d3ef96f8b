package workload

import (
	"math"

	"github.com/ebb-energy/ebb/simtest"
)

// forkJoin sorts by merging, with work stealing: a worker splits its task, pushes one half to its
// own deque, goes on with the other, and takes from others when it has none. Workers that find
// nothing sleep. Who does what depends on the clock; what there is to do does not. Large merges
// wait for memory, small ones fit the caches, and at the end of each sort the last merge is one
// thread's.
func forkJoin() simtest.Workload {
	return simtest.Workload{Name: "forkjoin", Threads: 4,
		Build: func(b *simtest.Builder) { buildForkJoin(b, 10, 1<<22) }}
}

var (
	mergeSmall = simtest.Mix{Name: "sort", CPI: 0.95, L3: 1.5, Stores: 150, StoreMisses: 0,
		Parallel: 1.5, Spread: 0.1}
	mergeLarge = simtest.Mix{Name: "merge", CPI: 0.9, L3: 1, Memory: 3.5, Stores: 150,
		StoreMisses: 3.5, Parallel: 3, Spread: 0.1}
)

// task is the sorting of n elements, or the merging of its two halves when both are sorted.
type task struct {
	n      int
	parent *task
	open   int // halves not yet sorted
}

// pool is what the workers share. Its deques have one lock here, as the time under it is short.
type pool struct {
	lock   *simtest.Mutex
	more   *simtest.Cond
	deques [][]*task
	asleep int
	done   bool
}

// steal takes the newest task of worker k's own deque or the oldest, hence largest, of another's.
func (p *pool) steal(k int) *task {
	if d := p.deques[k]; len(d) > 0 {
		p.deques[k] = d[:len(d)-1]
		return d[len(d)-1]
	}
	for i := 1; i < len(p.deques); i++ {
		v := (k + i) % len(p.deques)
		if d := p.deques[v]; len(d) > 0 {
			p.deques[v] = d[1:]
			return d[0]
		}
	}
	return nil
}

func (p *pool) push(t *simtest.Thread, k int, x *task) {
	t.Lock(p.lock)
	t.Run(&handling, 200)
	p.deques[k] = append(p.deques[k], x)
	if p.asleep > 0 {
		t.Signal(p.more)
	}
	t.Unlock(p.lock)
}

func buildForkJoin(b *simtest.Builder, sorts, elements int) {
	const leaf = 1 << 14
	p := &pool{lock: b.Mutex(jvmSpin), more: b.Cond(), deques: make([][]*task, b.Threads())}
	left := sorts
	p.deques[0] = []*task{{n: elements}}

	// finish merges upwards from a sorted task, as long as the other half is sorted too.
	finish := func(t *simtest.Thread, k int, x *task) {
		for {
			parent := x.parent
			if parent == nil {
				break
			}
			t.Lock(p.lock)
			t.Run(&handling, 100)
			parent.open--
			last := parent.open == 0
			t.Unlock(p.lock)
			if !last {
				return
			}
			mix := &mergeSmall
			if parent.n*8 > 1<<20 {
				mix = &mergeLarge
			}
			t.Run(mix, int64(12*parent.n))
			x = parent
		}
		t.Lock(p.lock)
		t.Run(&handling, 100)
		if left--; left == 0 {
			p.done = true
		} else {
			p.deques[k] = append(p.deques[k], &task{n: elements})
		}
		t.Broadcast(p.more)
		t.Unlock(p.lock)
	}
	for k := range b.Threads() {
		b.Thread("sorter", simtest.App, func(t *simtest.Thread) {
			for {
				t.Lock(p.lock)
				x := p.steal(k)
				for x == nil && !p.done {
					p.asleep++
					t.Wait(p.more, p.lock)
					p.asleep--
					x = p.steal(k)
				}
				t.Unlock(p.lock)
				if x == nil {
					return
				}
				for x.n > leaf {
					x.open = 2
					p.push(t, k, &task{n: x.n / 2, parent: x})
					x = &task{n: x.n - x.n/2, parent: x}
				}
				t.Run(&mergeSmall, int64(8*float64(x.n)*math.Log2(float64(x.n))))
				finish(t, k, x)
			}
		})
	}
}
