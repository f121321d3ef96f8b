package eval

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// cache makes each run once, however many callers ask for it at a time. A run may ask for others.
type cache struct {
	make func(context.Context, spec) (*Run, error)
	mu   sync.Mutex
	runs map[spec]*cell
	done atomic.Int64
}

type cell struct {
	once sync.Once
	run  *Run
	err  error
}

func newCache(make func(context.Context, spec) (*Run, error)) *cache {
	return &cache{make: make, runs: map[spec]*cell{}}
}

// get returns the result of a run, which it makes if nobody has.
func (c *cache) get(ctx context.Context, s spec) (*Run, error) {
	c.mu.Lock()
	x := c.runs[s]
	if x == nil {
		x = new(cell)
		c.runs[s] = x
	}
	c.mu.Unlock()
	x.once.Do(func() {
		if x.err = ctx.Err(); x.err == nil {
			x.run, x.err = c.make(ctx, s)
		}
		c.done.Add(1)
	})
	return x.run, x.err
}

// put has the result of a run that was made elsewhere.
func (c *cache) put(s spec, r *Run) {
	x := &cell{run: r}
	x.once.Do(func() {})
	c.runs[s] = x
}

// made returns the number of runs made.
func (c *cache) made() int { return int(c.done.Load()) }

// prepare makes all of specs, several at a time, and calls progress for each finished run. It
// returns the first error, in the order of specs.
func (c *cache) prepare(ctx context.Context, specs []spec, progress func()) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, len(specs))
	for range min(runtime.GOMAXPROCS(0), len(specs)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(specs) || inner.Err() != nil {
					return
				}
				if _, errs[i] = c.get(inner, specs[i]); errs[i] != nil {
					cancel()
					return
				}
				progress()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	// The error of a run that another's error cut short is not the cause.
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}
