package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/baseline"
	"github.com/ebb-energy/ebb/simtest/campaign"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/oracle"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// progress is the number of instructions of work between two points of a static run's progress:
// some tens of points per quantum.
const progress = 1 << 21

// profile returns the machine of a run.
func (s *spec) profile() hardware.Profile {
	p, err := hardware.ByName(s.Profile)
	if err != nil {
		panic(err) // figures name existing machines: TestFiguresDrawFromTheRunsTheyNeed
	}
	if s.Cores > 0 {
		p = p.WithCores(s.Cores)
	}
	if s.Effect > 0 {
		p.Transition.Latency = s.Effect
	}
	return p
}

// program returns the workload of a run.
func (s *spec) program() simtest.Workload {
	w, err := workload.ByName(s.Workload)
	if err != nil {
		panic(err) // figures name existing workloads: see profile
	}
	if s.Threads > 0 {
		w.Threads = s.Threads
	}
	return w
}

// execute makes a run.
func (s *study) execute(ctx context.Context, x spec) (*Run, error) {
	r, err := s.dispatch(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", x, err)
	}
	return r, nil
}

func (s *study) dispatch(ctx context.Context, x spec) (*Run, error) {
	if x.Several > 0 {
		c, err := campaign.Compare(x.Seed, x.Several)
		return &Run{Several: c}, err
	}
	p, w := x.profile(), x.program()
	switch {
	case x.Predict:
		return predictRun(ctx, x, p, w)
	case x.Control.By == Static:
		return s.static(x, p, w)
	case x.Control.By == Ebb || x.Control.By == Printed:
		return governed(ctx, x, p, w, s.settings.Method)
	case x.Control.By == Oracle:
		return s.oracle(ctx, x, p, w)
	case x.Control.By == Informed:
		return s.staticAfter(ctx, x, p, w)
	}
	c, err := s.baseline(x, &p)
	if err != nil {
		return nil, err
	}
	t, err := baseline.Run(p, w, simtest.Options{Seed: x.Seed}, c)
	if err != nil {
		return nil, err
	}
	return newRun(t), nil
}

// baseline makes the controller of a run by its name.
func (s *study) baseline(x spec, p *hardware.Profile) (baseline.Controller, error) {
	if x.Control.By != EAR {
		return baseline.ByName(string(x.Control.By), baseline.DomainOf(p))
	}
	m, err := s.model(p)
	if err != nil {
		return nil, err
	}
	return baseline.NewEAR(m, float64(x.Control.Slowdown)), nil
}

// model returns the model that EAR learns on a machine, once.
func (s *study) model(p *hardware.Profile) (*baseline.Model, error) {
	s.mu.Lock()
	learn := s.models[p.Name]
	if learn == nil {
		learn = sync.OnceValues(func() (*baseline.Model, error) {
			return baseline.Learn(*p, s.settings.Seed)
		})
		s.models[p.Name] = learn
	}
	s.mu.Unlock()
	return learn()
}

// static makes a run at one frequency. Runs with the first seed keep their progress for the oracle.
func (s *study) static(x spec, p hardware.Profile, w simtest.Workload) (*Run, error) {
	o := simtest.Options{Seed: x.Seed, Quiet: true, Clamp: true}
	if x.Seed == s.settings.Seed {
		o.Progress = progress
	}
	t, err := simtest.Static(p, w, o, x.Control.Frequency)
	if err != nil {
		return nil, err
	}
	r := newRun(t)
	if o.Progress > 0 {
		r.truth = t
	}
	return r, nil
}

// staticAfter makes a run that starts as ebb's does, and changes after the first quantum to the
// static state of least energy. Its distance from that state's run is the price of not knowing the
// program.
func (s *study) staticAfter(
	ctx context.Context, x spec, p hardware.Profile, w simtest.Workload,
) (*Run, error) {
	var least *Run
	var best units.Frequency
	for _, y := range statics(x) {
		r, err := s.cache.get(ctx, y)
		if err != nil {
			return nil, err
		}
		if least == nil || r.System < least.System {
			least, best = r, y.Control.Frequency
		}
	}
	ebb := x
	ebb.Control.By = Ebb
	r, err := s.cache.get(ctx, ebb)
	if err != nil {
		return nil, err
	}
	quantum, _ := governor.Calibrate(p.Transition.Longest())
	t, err := baseline.Run(p, w, simtest.Options{Seed: x.Seed},
		baseline.NewInformed(r.at(quantum/2), best, quantum))
	if err != nil {
		return nil, err
	}
	return newRun(t), nil
}

// oracle makes the run of the best schedule known afterwards, with a frequency for the work of each
// quantum. The machine's latency sets the length of a quantum, as it does for the governor.
func (s *study) oracle(
	ctx context.Context, x spec, p hardware.Profile, w simtest.Workload,
) (*Run, error) {
	sweep := oracle.Sweep{Profile: p, Workload: w, Seed: x.Seed}
	for _, y := range statics(x) {
		r, err := s.cache.get(ctx, y)
		if err != nil {
			return nil, err
		}
		if r.truth == nil {
			return nil, fmt.Errorf("the run at %v kept no progress", y.Control.Frequency)
		}
		sweep.Runs = append(sweep.Runs, r.truth)
	}
	var d *oracle.Dynamic
	var err error
	quantum, _ := governor.Calibrate(p.Transition.Longest())
	if x.Control.System {
		d, err = sweep.DynamicUnbound(oracle.System, quantum)
	} else {
		d, err = sweep.Dynamic(oracle.Processor, x.Control.Slowdown, quantum)
	}
	if err != nil {
		return nil, err
	}
	r := newRun(d.Run)
	r.Bound, r.Phases = float64(d.Bound), 1
	for i := 1; i < len(d.Steps) && !d.Static; i++ {
		if d.Steps[i].Frequency != d.Steps[i-1].Frequency {
			r.Phases++
		}
	}
	return r, nil
}
