package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// choices are a governor's model, estimator, critical-thread prediction and rule; "" for the
// recorded one.
type choices struct{ model, estimator, ctp, rule string }

// set puts the methods that are given into a recorded configuration.
func (c *choices) set(cfg *governor.Config) {
	for _, x := range []struct {
		given string
		to    *string
	}{{c.model, &cfg.Predictor.Model}, {c.estimator, &cfg.Predictor.Estimator},
		{c.ctp, &cfg.Predictor.CTP}} {
		if x.given != "" {
			*x.to = x.given
		}
	}
	if c.rule != "" {
		cfg.Rule = policy.Rule(c.rule)
	}
}

// decisions are the frequencies that one governor chose, in order.
type decisions []units.Frequency

func (d *decisions) take(a governor.Action) {
	if a.Kind == governor.Decided {
		*d = append(*d, a.Quantum.Chosen)
	}
}

// Observe implements governor.Observer.
func (d *decisions) Observe(_ *governor.Event, actions []governor.Action) {
	for i := range actions {
		d.take(actions[i])
	}
}

// mean returns the mean frequency, rounded to 1 MHz; 0 without decisions.
func (d decisions) mean() units.Frequency {
	sum := 0.0
	for _, f := range d {
		sum += float64(f)
	}
	return units.Frequency(math.Round(sum/float64(max(len(d), 1))/1e6)) * 1e6
}

// compare plays the recording to a governor with other choices, and prints how its decisions differ
// from the recorded ones.
func (c *choices) compare(ctx context.Context, p *replay.Player, path string, w io.Writer) error {
	cfg := p.Config()
	c.set(&cfg)
	cfg.Patient = true
	g, err := governor.New(cfg)
	if err != nil {
		return command.Usagef("%s: %w", path, err)
	}
	var recorded, replayed decisions
	p.Compare(recorded.take)
	if err := governor.Run(ctx, g, p, &replayed); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	same, both := 0, min(len(recorded), len(replayed))
	for i := range both {
		if recorded[i] == replayed[i] {
			same++
		}
	}
	pc := g.PredictorConfig()
	_, err = printable.Fprintf(w, "%s: model %s, estimator %s, rule %s: %d of %d decisions agree; "+
		"mean frequency chosen: %v, recorded: %v\n", path, pc.Model, pc.Estimator, cfg.Rule, same,
		both, replayed.mean(), recorded.mean())
	if n, has := g.CollectorPhases(); err == nil && has && n == 0 {
		_, err = printable.Fprintf(w, "%s: it has no phases of a garbage collector, so %s "+
			"decided as m+crit\n", path, pc.Model)
	}
	return err
}
