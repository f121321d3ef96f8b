package eval

import "github.com/ebb-energy/ebb/units"

// statics returns a program's runs at every state of its machine.
func statics(x spec) (specs []spec) {
	x.Predict = false
	for _, f := range x.profile().States {
		x.Control = control{By: Static, Frequency: f}
		specs = append(specs, x)
	}
	return specs
}

// staticBest returns Static-Opt: of all runs at one frequency that are within the budget, the one
// with the least energy (section 6.1.2). With the objective of system energy every run is within
// it.
func (s *study) staticBest(x spec, budget units.Slowdown, system bool) *Run {
	top := s.of(highest(x))
	best := top
	for _, y := range statics(x) {
		r := s.of(y)
		if !system && float64(r.Wall) > float64(top.Wall)*(1+float64(budget)) {
			continue
		}
		if system && r.System < best.System || !system && r.Processor < best.Processor {
			best = r
		}
	}
	return best
}

// lead returns the number of points that a run saves beyond Static-Opt of the same seed: of the
// system's energy, or of the processor's within the run's budget.
func (s *study) lead(x spec, system bool) spread {
	of, budget := (*Run).systemSaved, units.Slowdown(0)
	if !system {
		of, budget = (*Run).saved, x.Control.Slowdown
	}
	var v []float64
	for _, y := range s.over([]spec{x}) {
		top := s.of(highest(y))
		v = append(v, of(s.of(y), top)-of(s.staticBest(y, budget, system), top))
	}
	return newSpread(v)
}

// staticSpread returns a number of Static-Opt, chosen for each seed by itself.
func (s *study) staticSpread(
	x spec, budget units.Slowdown, system bool, of func(r, highest *Run) float64,
) spread {
	var v []float64
	for _, y := range s.over([]spec{x}) {
		v = append(v, of(s.staticBest(y, budget, system), s.of(highest(y))))
	}
	return newSpread(v)
}
