package oracle

import (
	"fmt"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// progress is the number of instructions of work between two points of a sweep's runs.
const progress = 1 << 19

// Measure runs a program at every state.
func Measure(p hardware.Profile, w simtest.Workload, seed uint64) (*Sweep, error) {
	s := &Sweep{Profile: p, Workload: w, Seed: seed, Runs: make([]*simtest.Truth, len(p.States))}
	options := simtest.Options{Seed: seed, Quiet: true, Clamp: true, Progress: progress}
	for i, f := range p.States {
		var err error
		if s.Runs[i], err = simtest.Static(p, w, options, f); err != nil {
			return nil, err
		}
	}
	for i, r := range s.Runs {
		if r.Work != s.highest().Work {
			return nil, fmt.Errorf("%s does %d instructions of work at %v, %d at %v", w.Name,
				r.Work, p.States[i], s.highest().Work, p.Highest())
		}
	}
	return s, nil
}

// Static is the state whose run took the least energy of those within the budget (Static-Opt).
func (s *Sweep) Static(o Objective, budget units.Slowdown) (f units.Frequency, run *simtest.Truth) {
	best, deadline := len(s.Runs)-1, s.deadline(budget)
	for i, r := range s.Runs {
		if r.Wall <= deadline && o.of(r.Energy) < o.of(s.Runs[best].Energy) {
			best = i
		}
	}
	return s.Profile.States[best], s.Runs[best]
}

// Saving is the share of the reference's energy that a run saved.
func Saving(o Objective, reference, run *simtest.Truth) float64 {
	return 1 - float64(o.of(run.Energy))/float64(o.of(reference.Energy))
}

// Slowdown is the share of the reference's time that a run took longer.
func Slowdown(reference, run *simtest.Truth) float64 {
	return float64(run.Wall-reference.Wall) / float64(reference.Wall)
}

// Gap is the share of the plan's cost by which a better schedule could be cheaper.
func (p *plan) Gap() float64 {
	if p.Cost <= 0 {
		return 0
	}
	return max(0, (p.Cost-p.Bound)/p.Cost)
}
