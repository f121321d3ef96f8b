package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Runner makes one run under a setting and leaves the machine as it found it.
type Runner interface {
	// Run makes a run of the round (0 for warm-up). It ends early, with an error, when ctx does.
	Run(ctx context.Context, s Setting, round int) (Measurement, error)
	// Parallel is the number of runs that may go on at once without disturbing one another: 1 on a
	// host.
	Parallel() int
}

// Observer receives the progress of a measurement. Calls come one at a time.
type Observer interface {
	// Began: a run is about to begin; round 0 is warm-up.
	Began(s Setting, round int)
	// Finished: the run has ended well and is in the journal. took is its time on the wall clock,
	// including everything around the program.
	Finished(s *Sample, took time.Duration)
}

// recorder receives finished runs; a *Journal is one.
type recorder interface{ Add(*Sample) error }

// Execute makes the runs of a plan that are not in done, up to the given number of rounds, and
// returns all runs in the order of rounds and settings. If a run fails or ctx ends, it returns the
// runs so far with the error.
func Execute(
	ctx context.Context, p *Plan, rounds int, r Runner, done []Sample, record recorder,
	watch Observer,
) ([]Sample, error) {
	have := map[[2]int]bool{}
	for i := range done {
		have[[2]int{done[i].Round, done[i].Setting}] = true
	}
	e := execution{plan: p, runner: r, record: record, watch: watch, samples: slices.Clone(done)}
	for round := 1; round <= rounds; round++ {
		for _, s := range p.order(round) {
			if !have[[2]int{round, s}] {
				e.todo = append(e.todo, [2]int{round, s})
			}
		}
	}
	var err error
	if len(e.todo) > 0 {
		err = e.run(ctx)
	}
	slices.SortFunc(e.samples, func(a,
		b Sample) int {
		return cmp.Or(a.Round-b.Round, a.Setting-b.Setting)
	})
	return e.samples, err
}

// execution is a measurement under way.
type execution struct {
	plan   *Plan
	runner Runner
	record recorder
	watch  Observer
	todo   [][2]int // rounds and settings still to run

	mu      sync.Mutex
	next    int
	samples []Sample
	err     error
}

func (e *execution) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range e.plan.WarmUp {
		e.watch.Began(e.plan.highest(), 0)
		began := time.Now()
		m, err := e.runner.Run(ctx, e.plan.highest(), 0)
		if err != nil {
			return fmt.Errorf("warm-up: %w", err)
		}
		e.watch.Finished(&Sample{Measurement: m}, time.Since(began))
	}
	var workers sync.WaitGroup
	for range min(max(e.runner.Parallel(), 1), len(e.todo)) {
		workers.Go(func() {
			for e.one(ctx) {
			}
			if e.failed() {
				cancel()
			}
		})
	}
	workers.Wait()
	return e.err
}

func (e *execution) failed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err != nil
}

// one makes the next run; false when there is none or something failed.
func (e *execution) one(ctx context.Context) bool {
	e.mu.Lock()
	if e.err == nil && e.next < len(e.todo) {
		e.err = ctx.Err()
	}
	if e.err != nil || e.next == len(e.todo) {
		e.mu.Unlock()
		return false
	}
	round, index := e.todo[e.next][0], e.todo[e.next][1]
	e.next++
	setting := e.plan.Settings[index]
	e.watch.Began(setting, round)
	e.mu.Unlock()

	began := time.Now()
	m, err := e.runner.Run(ctx, setting, round)
	took := time.Since(began)

	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		s := Sample{Round: round, Setting: index, Measurement: m}
		if err = e.record.Add(&s); err == nil {
			e.samples = append(e.samples, s)
			e.watch.Finished(&s, took)
			return e.err == nil
		}
	}
	if e.err == nil {
		e.err = fmt.Errorf("%s, round %d: %w", setting, round, err)
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
