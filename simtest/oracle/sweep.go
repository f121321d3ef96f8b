package oracle

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// progress is how often the runs of a sweep note their progress, in instructions of work: some ten
// times a quantum.
const progress = 1 << 19

// Sweep is a program's runs at every state of a machine, without faults and without a governor.
type Sweep struct {
	Profile  simtest.Profile
	Workload simtest.Workload
	Seed     uint64
	Runs     []*simtest.Truth // by state, as in Profile.States
}

// Measure runs a program at every state, on as many processors as there are.
func Measure(p simtest.Profile, w simtest.Workload, seed uint64) (*Sweep, error) {
	s := &Sweep{Profile: p, Workload: w, Seed: seed, Runs: make([]*simtest.Truth, len(p.States))}
	err := each(len(p.States), func(i int) (err error) {
		s.Runs[i], err = simtest.Static(p, w, Options(seed), p.States[i])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", w.Name, p.Name, err)
	}
	for i, r := range s.Runs {
		if r.Work != s.Highest().Work {
			return nil, fmt.Errorf("%s on %s: %d instructions of work at %v, %d at %v: not the same program",
				w.Name, p.Name, r.Work, p.States[i], s.Highest().Work, p.Highest())
		}
	}
	return s, nil
}

// Options are those of a sweep's runs.
func Options(seed uint64) simtest.Options {
	return simtest.Options{Seed: seed, Quiet: true, Clamp: true, Progress: progress}
}

// Highest is the run at the highest frequency, which slowdowns and savings refer to.
func (s *Sweep) Highest() *simtest.Truth { return s.Runs[len(s.Runs)-1] }

// Deadline is the longest time within a budget.
func (s *Sweep) Deadline(budget units.Slowdown) time.Duration {
	return s.Highest().Wall + time.Duration(float64(s.Highest().Wall)*float64(budget))
}

// At is the run at a frequency, nil if it is no state.
func (s *Sweep) At(f units.Frequency) *simtest.Truth {
	if i, ok := slices.BinarySearch(s.Profile.States, f); ok {
		return s.Runs[i]
	}
	return nil
}

// Static is the state of Static-Opt: the one whose run took the least energy of those within the
// budget.
func (s *Sweep) Static(o Objective, budget units.Slowdown) (f units.Frequency, run *simtest.Truth) {
	best, deadline := len(s.Runs)-1, s.Deadline(budget)
	for i, r := range s.Runs {
		if r.Wall <= deadline && o.Of(r.Energy) < o.Of(s.Runs[best].Energy) {
			best = i
		}
	}
	return s.Profile.States[best], s.Runs[best]
}

// Of is the same sweep for a machine that differs from this one in that it offers fewer states. Its
// runs are this sweep's, as a run at one frequency does not depend on which others there are.
func (s *Sweep) Of(p simtest.Profile) (*Sweep, error) {
	out := &Sweep{Profile: p, Workload: s.Workload, Seed: s.Seed}
	for _, f := range p.States {
		run := s.At(f)
		if run == nil {
			return nil, fmt.Errorf("%s on %s: not measured at %v", s.Workload.Name, s.Profile.Name,
				f)
		}
		out.Runs = append(out.Runs, run)
	}
	return out, nil
}

// each calls f for 0 to n-1, on as many goroutines as processors may be used, and returns the first
// error.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
