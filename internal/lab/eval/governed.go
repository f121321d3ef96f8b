package eval

import (
	"context"
	"github.com/ebb-energy/ebb/hpc"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// printedCounters are the counters of the paper's manager. On a machine with real counters only,
// the manager uses ebb's.
var printedCounters = []string{hpc.CritDRAM, hpc.SQFull, hpc.Insts, hpc.DRAMReads}

// governorConfig returns the configuration of a run's controller on its machine, and the options
// with the counters that it needs.
func governorConfig(
	x spec, p *hardware.Profile, m Method,
) (governor.Config, simtest.Options) {
	o := simtest.Options{
		Seed: x.Seed, Quantum: x.Control.Quantum, HoldOff: x.Control.HoldOff,
		Exact: p.Counters.Exact, Counters: simhost.Counters(p),
		// ebb probes whether a written frequency is more than a floor, and sets both bounds where
		// it is not.
		Clamp: true,
	}
	if o.Quantum == 0 {
		o.Quantum, o.HoldOff = governor.Calibrate(p.Transition.Longest())
	}
	c := governor.Default()
	c.Slowdown = x.Control.Slowdown
	if x.Control.System {
		c.Objective = governor.SystemEnergy
	}
	if x.Control.By == Printed {
		c.Rule, c.NoLearning, c.NoProbes = policy.AsPrinted, true, true
		switch {
		case x.Control.System:
			c.Rule = policy.SixSteps
		case x.Control.NoExcess:
			c.Rule = policy.AsPrintedOpen
		}
		if x.Control.Accounts {
			c.Rule, c.NoLearning = policy.Even, !x.Control.System
		}
		c.Predictor = predictor.Config{Model: "dep+burst"}
		if x.Control.Model != "" {
			c.Predictor.Model = x.Control.Model // works with ebb's own counters
		} else if p.Counters.Exact {
			c.Predictor.Estimator, o.Counters = "crit", printedCounters
		}
	}
	if x.Control.By == Ebb {
		m.apply(&c, p, &o)
	}
	return simhost.Configure(c, p, &o), o
}

// governed makes a run under package governor.
func governed(
	ctx context.Context, x spec, p hardware.Profile, w simtest.Workload, m Method,
) (*Run, error) {
	cfg, o := governorConfig(x, &p, m)
	g, err := governor.New(cfg)
	if err != nil {
		return nil, err
	}
	machine, err := simtest.New(p, w, o)
	if err != nil {
		return nil, err
	}
	defer machine.Close()
	var c clockwork
	if err := governor.Run(ctx, g, simhost.New(machine), &c); err != nil {
		return nil, err
	}
	r := newRun(machine.Truth())
	r.Clock = c.points
	return r, nil
}

// clockwork records the delivered frequency.
type clockwork struct {
	begin  units.Instant
	points []clockPoint
}

// Observe implements governor.Observer.
func (c *clockwork) Observe(ev *governor.Event, _ []governor.Action) {
	switch ev.Kind {
	case governor.Begin:
		c.begin = ev.At
	case governor.Applied:
	default:
		return
	}
	if n := len(c.points); n == 0 || c.points[n-1].Frequency != ev.Frequency {
		c.points = append(c.points, clockPoint{ev.At.Sub(c.begin), ev.Frequency})
	}
}
