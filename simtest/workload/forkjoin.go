package workload

import (
	"math"

	"github.com/ebb-energy/ebb/simtest"
)

// forkJoin sorts by merging, with work stealing: a worker splits its task, pushes one half to its
// own deque and continues with the other. With an empty deque it steals from others, or sleeps. The
// clock decides which worker does a task; the tasks are the same at every frequency. Large merges
// wait for memory, small ones fit the caches, and one thread makes the last merge of each sort.
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

// task is the sorting of n elements, or the merging of its two halves once both are sorted.
type task struct {
	n      int
	parent *task
	open   int // halves not yet sorted
}

// pool is the workers' shared state. One lock guards all of it, because the time under it is short.
type pool struct {
	lock     *simtest.Mutex
	more     *simtest.Cond
	deques   [][]*task // tasks per worker, the newest last
	asleep   int       // workers that wait for more
	left     int       // sorts that are not done
	elements int       // number of elements of each sort
	done     bool      // left is 0
}

// steal takes the newest task of worker k's own deque, or the oldest and largest of another's.
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

// next waits for a task for worker k; nil when all sorts are done.
func (p *pool) next(t *simtest.Thread, k int) *task {
	t.Lock(p.lock)
	x := p.steal(k)
	for x == nil && !p.done {
		p.asleep++
		t.Wait(p.more, p.lock)
		p.asleep--
		x = p.steal(k)
	}
	t.Unlock(p.lock)
	return x
}

// sort splits x down to leafElements, pushes the other halves, and sorts the last one.
func (p *pool) sort(t *simtest.Thread, k int, x *task) *task {
	for x.n > leafElements {
		x.open = 2
		p.push(t, k, &task{n: x.n / 2, parent: x})
		x = &task{n: x.n - x.n/2, parent: x}
	}
	t.Run(&mergeSmall, int64(8*float64(x.n)*math.Log2(float64(x.n))))
	return x
}

// merge merges upwards from the sorted task x as long as the other half is sorted as well. It
// returns true if that completes the whole sort.
func (p *pool) merge(t *simtest.Thread, x *task) bool {
	for parent := x.parent; parent != nil; parent = parent.parent {
		t.Lock(p.lock)
		t.Run(&handling, 100)
		parent.open--
		last := parent.open == 0
		t.Unlock(p.lock)
		if !last {
			return false
		}
		mix := &mergeSmall
		if parent.n*8 > cacheBytes {
			mix = &mergeLarge
		}
		t.Run(mix, int64(12*parent.n))
	}
	return true
}

// finish ends a sort and begins the next one, if one is left.
func (p *pool) finish(t *simtest.Thread, k int) {
	t.Lock(p.lock)
	t.Run(&handling, 100)
	if p.left--; p.left == 0 {
		p.done = true
	} else {
		p.deques[k] = append(p.deques[k], &task{n: p.elements})
	}
	t.Broadcast(p.more)
	t.Unlock(p.lock)
}

const (
	leafElements = 1 << 14 // largest task that is not split
	cacheBytes   = 1 << 20 // merges of at most this many bytes fit the caches
)

func buildForkJoin(b *simtest.Builder, sorts, elements int) {
	p := &pool{lock: b.Mutex(jvmSpin), more: b.Cond(), deques: make([][]*task, b.Threads()),
		left: sorts, elements: elements}
	p.deques[0] = []*task{{n: elements}}
	for k := range b.Threads() {
		b.Thread("sorter", simtest.App, func(t *simtest.Thread) {
			for x := p.next(t, k); x != nil; x = p.next(t, k) {
				if p.merge(t, p.sort(t, k, x)) {
					p.finish(t, k)
				}
			}
		})
	}
}
