package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// targets are the frequencies of the paper's Figures 2 to 5.
var targets = []units.Frequency{1 * ghz, 2 * ghz, 3 * ghz, 4 * ghz}

// predictRun runs a program at one frequency and predicts its time at the others by every model.
func predictRun(ctx context.Context, x spec, p hardware.Profile, w simtest.Workload) (*Run, error) {
	var runs []*counted
	defer func() {
		for _, c := range runs {
			c.machine.Close()
		}
	}()
	for _, set := range counterSets {
		c, err := newCounted(p, w, simtest.Options{Seed: x.Seed, Exact: true, Counters: set,
			Initial: x.Control.Frequency})
		if err != nil {
			return nil, err
		}
		runs = append(runs, c)
	}
	var collectors []epochs.TID
	for _, t := range runs[0].machine.Truth().Threads {
		if t.Role == simtest.Collector {
			collectors = append(collectors, t.ID)
		}
	}
	var predictors []*predictor.Predictor
	latencies := simhost.SameLatencies()
	for _, m := range models {
		if m.config.Model == predictor.Wake {
			m.config.Latencies = &latencies
		}
		m.config.Unit, m.config.Collectors = epochs.Nanosecond, collectors
		q, err := predictor.New(m.config, slices.Concat(counterSets...))
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.name, err)
		}
		predictors = append(predictors, q)
	}
	n := 0
	err := eachEpoch(runs, func(e *epochs.Epoch) {
		for _, q := range predictors {
			q.Add(e, x.Control.Frequency)
		}
		n++
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := newRun(runs[0].machine.Truth())
	r.Predicted = map[prediction]float64{}
	for i, m := range models {
		for _, f := range targets {
			r.Predicted[prediction{m.name, f}] = predictors[i].Duration(f)
		}
	}
	return r, nil
}
