package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/ebb-energy/ebb/simtest/baseline"
	"github.com/ebb-energy/ebb/units"
)

// study has the runs that figures are made of.
type study struct {
	settings Settings
	cache    *cache
	mu       sync.Mutex
	models   map[string]func() (*baseline.Model, error) // models by machine
}

// newStudy returns a study without runs. Another function may make them.
func newStudy(set Settings, run func(context.Context, spec) (*Run, error)) *study {
	s := &study{settings: set, models: map[string]func() (*baseline.Model, error){}}
	if run == nil {
		run = s.execute
	}
	s.cache = newCache(run)
	return s
}

// seeds returns n seeds, or the first in the quick variant.
func (s *study) seeds(n int) (seeds []uint64) {
	for i := range s.settings.times(n) {
		seeds = append(seeds, s.settings.Seed+uint64(i))
	}
	return seeds
}

// over returns each spec with each seed. The oracle has only the first one, because it needs the
// runs at every state.
func (s *study) over(specs []spec) (out []spec) {
	for _, x := range specs {
		seeds := s.seeds(repeats)
		if x.Control.By == Oracle {
			seeds = seeds[:1]
		}
		for _, seed := range seeds {
			x.Seed = seed
			out = append(out, x)
		}
	}
	return out
}

// of returns a prepared run. If it was not prepared, the figure's list of needs is wrong.
func (s *study) of(x spec) *Run {
	s.cache.mu.Lock()
	c := s.cache.runs[x]
	s.cache.mu.Unlock()
	if c == nil {
		panic(fmt.Sprintf("eval: the run %+v was not prepared", x))
	}
	r, err := s.cache.get(context.Background(), x)
	if err != nil {
		panic(fmt.Sprintf("eval: the run %v failed: %v", x, err))
	}
	return r
}

// highest returns the same program on the same machine always at its highest frequency, the
// baseline of every figure.
func highest(x spec) spec {
	x.Predict, x.Effect = false, 0
	p := x.profile()
	x.Control = control{By: Static, Frequency: p.Highest()}
	if x.Profile == "paper-500" {
		x.Profile = "paper" // the same machine, and the same highest frequency
	}
	return x
}

// spread returns a number of a run and its baseline over the seeds.
func (s *study) spread(x spec, of func(r, highest *Run) float64) spread {
	var v []float64
	for _, x := range s.over([]spec{x}) {
		v = append(v, of(s.of(x), s.of(highest(x))))
	}
	return newSpread(v)
}

// withBaselines returns specs with each seed, and the baseline of each.
func (s *study) withBaselines(specs []spec) (out []spec) {
	for _, x := range s.over(specs) {
		out = append(out, x, highest(x))
	}
	return out
}

// on returns a program on the paper's machine under a controller.
func on(workload string, c control) spec {
	if c.By == Ebb || c.By == Printed {
		if c.Quantum == 0 {
			c.Quantum = 5 * ms
		}
		if c.HoldOff == 0 {
			c.HoldOff = 1
		}
	}
	return spec{Profile: "paper", Workload: workload, Control: c}
}

func within(by controller, budget units.Slowdown) control {
	return control{By: by, Slowdown: budget}
}
