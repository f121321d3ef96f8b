package workload

import "github.com/ebb-energy/ebb/simtest"

// queue hands out the pieces of work 0 to n-1 in order, under a lock. Timing decides which thread
// gets a piece, but not what the piece consists of.
type queue struct {
	lock *simtest.Mutex
	next int
	n    int
}

func newQueue(b *simtest.Builder, n int) *queue { return &queue{lock: b.Mutex(jvmSpin), n: n} }

// jvmSpin is the number of cycles for which a thread tries a runtime's lock before it sleeps.
const jvmSpin = 2000

// handling is short code on shared lines: queues, counters, lists of free blocks.
var handling = simtest.Mix{Name: "handling", CPI: 0.9, L3: 2, Transfers: 8, Stores: 120}

// take returns the next piece; false when there is none.
func (q *queue) take(t *simtest.Thread) (int, bool) {
	t.Lock(q.lock)
	t.Run(&handling, 400)
	i := q.next
	q.next++
	t.Unlock(q.lock)
	return i, i < q.n
}

// workers makes the application threads, each of which calls piece with what it takes from a queue
// of n.
func (r *runtime) workers(b *simtest.Builder, n int, piece func(t *simtest.Thread, i int)) {
	q := newQueue(b, n)
	for range b.Threads() {
		b.Thread("worker", simtest.App, func(t *simtest.Thread) {
			r.begin(t)
			for {
				i, ok := q.take(t)
				if !ok {
					return
				}
				piece(t, i)
			}
		})
	}
}
