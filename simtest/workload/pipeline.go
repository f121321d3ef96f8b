package workload

import "github.com/ebb-energy/ebb/simtest"

// pipeline hands items through stages with bounded queues between: a reader that streams, threads
// that compute, a writer that updates tables. Which stage is the slowest depends on the clock: the
// computing one at low frequencies, the ones that wait for memory at high ones.
func pipeline() simtest.Workload {
	return simtest.Workload{Name: "pipeline", Threads: 4,
		Build: func(b *simtest.Builder) { buildPipeline(b, 9000) }}
}

// channel is a bounded queue.
type channel struct {
	lock        *simtest.Mutex
	full, empty *simtest.Cond
	held, most  int
	total       int // number of items that there will ever be
	taken       int
}

func newChannel(b *simtest.Builder, most, total int) *channel {
	return &channel{lock: b.Mutex(0), full: b.Cond(), empty: b.Cond(), most: most, total: total}
}

func (c *channel) send(t *simtest.Thread) {
	t.Lock(c.lock)
	t.Run(&handling, 300)
	for c.held == c.most {
		t.Wait(c.full, c.lock)
	}
	c.held++
	t.Signal(c.empty)
	t.Unlock(c.lock)
}

// receive returns false when all has been received.
func (c *channel) receive(t *simtest.Thread) bool {
	t.Lock(c.lock)
	if c.taken == c.total {
		t.Unlock(c.lock)
		return false
	}
	c.taken++ // counts one of the items to come
	t.Run(&handling, 300)
	for c.held == 0 {
		t.Wait(c.empty, c.lock)
	}
	c.held--
	t.Signal(c.full)
	t.Unlock(c.lock)
	return true
}

func buildPipeline(b *simtest.Builder, items int) {
	first, second := newChannel(b, 8, items), newChannel(b, 8, items)
	read := func(t *simtest.Thread) {
		t.Run(&sum, int64(60_000*vary(t.Rand(), 0.4)))
		first.send(t)
	}
	treat := func(t *simtest.Thread) bool {
		if !first.receive(t) {
			return false
		}
		t.Run(&javaParse, 200_000)
		second.send(t)
		return true
	}
	write := func(t *simtest.Thread) bool {
		if !second.receive(t) {
			return false
		}
		t.Run(&update, 30_000)
		return true
	}
	if b.Threads() < 3 { // each thread does all of an item's stages
		next := 0
		for range b.Threads() {
			b.Thread("all", simtest.App, func(t *simtest.Thread) {
				for next < items {
					next++
					t.Run(&sum, 60_000)
					t.Run(&javaParse, 200_000)
					t.Run(&update, 30_000)
				}
			})
		}
		return
	}
	b.Thread("reader", simtest.App, func(t *simtest.Thread) {
		for range items {
			read(t)
		}
	})
	for range b.Threads() - 2 {
		b.Thread("treat", simtest.App, func(t *simtest.Thread) {
			for treat(t) {
			}
		})
	}
	b.Thread("writer", simtest.App, func(t *simtest.Thread) {
		for write(t) {
		}
	})
}
