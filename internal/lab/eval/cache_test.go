package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// TestCacheMakesEachRunOnce: each run is made once, also when one run needs another and many need
// it at a time.
func TestCacheMakesEachRunOnce(t *testing.T) {
	var mu sync.Mutex
	made := map[spec]int{}
	var c *cache
	c = newCache(func(ctx context.Context, x spec) (*Run, error) {
		mu.Lock()
		made[x]++
		mu.Unlock()
		if x.Seed > 0 {
			r, err := c.get(ctx, spec{Seed: x.Seed / 2})
			if err != nil {
				return nil, err
			}
			return &Run{Work: r.Work + 1}, nil
		}
		return &Run{}, nil
	})
	var specs []spec
	for i := range 400 {
		specs = append(specs, spec{Seed: uint64(i*7) % 200})
	}
	reported := 0
	if err := c.prepare(context.Background(), specs,
		func() { mu.Lock(); reported++; mu.Unlock() }); err != nil {
		t.Fatal(err)
	}
	for x, n := range made {
		if n != 1 {
			t.Errorf("seed %d was made %d times", x.Seed, n)
		}
	}
	if reported != len(specs) || len(made) != 200 || c.made() != 200 {
		t.Errorf("reported %d, made %d, counted %d", reported, len(made), c.made())
	}
	if r, err := c.get(context.Background(), spec{Seed: 8}); err != nil || r.Work != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCacheFails(t *testing.T) {
	broken := errors.New("broken")
	c := newCache(func(ctx context.Context, x spec) (*Run, error) {
		if x.Seed == 5 {
			return nil, fmt.Errorf("seed 5: %w", broken)
		}
		return &Run{}, ctx.Err()
	})
	var specs []spec
	for i := range 100 {
		specs = append(specs, spec{Seed: uint64(i)})
	}
	if err := c.prepare(context.Background(), specs, func() {}); !errors.Is(err, broken) {
		t.Errorf("%v, want what broke", err)
	}
}

func TestCacheInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	c := newCache(func(ctx context.Context, x spec) (*Run, error) {
		switch {
		case x.Seed == 3:
			cancel()
		case x.Seed > 10: // else they might all be made before the third has its turn
			<-ctx.Done()
		}
		return &Run{}, nil
	})
	var specs []spec
	for i := range 1000 {
		specs = append(specs, spec{Seed: uint64(i)})
	}
	var mu sync.Mutex
	err := c.prepare(ctx, specs, func() { mu.Lock(); n++; mu.Unlock() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if n > 900 {
		t.Errorf("%d runs were still made", n)
	}
}
