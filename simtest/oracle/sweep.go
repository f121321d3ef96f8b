package oracle

import (
	"runtime"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Sweep is a program's runs at every state of a machine (simtest.Static), without faults. Each run
// notes its progress some ten times per quantum.
type Sweep struct {
	Profile  hardware.Profile
	Workload simtest.Workload
	Seed     uint64
	Runs     []*simtest.Truth // by state, as in Profile.States
}

// highest is the run at the highest frequency, the reference of slowdowns and savings.
func (s *Sweep) highest() *simtest.Truth { return s.Runs[len(s.Runs)-1] }

// deadline is the longest time within a budget.
func (s *Sweep) deadline(budget units.Slowdown) time.Duration {
	return s.highest().Wall + time.Duration(float64(s.highest().Wall)*float64(budget))
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
