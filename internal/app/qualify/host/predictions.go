package host

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/predictor/accuracy"
	"github.com/ebb-energy/ebb/units"
)

// predictions makes step 5: it records each program at each clock, and predicts each run from the
// others.
func (h *host) predictions(ctx context.Context, step *qualify.Step) error {
	states, err := h.controlled()
	if err != nil {
		return err
	}
	all := clocks(states, h.Plan.Clocks)
	if len(all) < 2 {
		return lacks(qualify.NotSupported, "there is one clock only")
	}
	p := &qualify.Predictions{Runs: []qualify.Timed{}, Errors: []qualify.ModelError{}}
	for _, f := range all {
		p.ClocksHz = append(p.ClocksHz, int64(f))
	}
	step.Predictions = p
	dir := filepath.Join(h.dir, "tables")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if h.Java == "" {
		miss(step, "a program of a JVM", h.NoJava)
	}
	for _, name := range h.Plan.Programs {
		// Each program has a directory of its own, because all are the same command.
		own := filepath.Join(dir, name)
		runs, err := h.atClocks(ctx, own, name, all)
		if err != nil && name == qualify.JVM && ctx.Err() == nil {
			miss(step, "a program of a JVM", err) // its failure is not ebb's
			if err := os.RemoveAll(own); err != nil {
				return err
			}
			continue
		}
		p.Runs = append(p.Runs, runs...)
		if err != nil {
			return err
		}
	}
	return errorsOf(dir, all, p)
}

// atClocks records a program at each clock, into a new directory.
func (h *host) atClocks(ctx context.Context, dir, name string, all []units.Frequency,
) (runs []qualify.Timed, err error) {
	program, err := h.program(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	for _, f := range all {
		h.Say("   records %s at %v", name, f)
		before := h.throttled()
		file := filepath.Join(dir, fmt.Sprintf("%s.%d.csv.gz", name, int64(f)))
		if err := h.recorded(ctx, file, program, f); err != nil {
			return runs, err
		}
		took, err := total(file)
		if err != nil {
			return runs, err
		}
		runs = append(runs, qualify.Timed{Program: name, Hz: int64(f), WallNS: took,
			Throttled: since(before, h.throttled()).Any()})
	}
	return runs, nil
}

// errorsOf adds the models' errors on the tables.
func errorsOf(dir string, all []units.Frequency, p *qualify.Predictions) error {
	var pairs []accuracy.Pair
	for _, from := range all {
		for _, to := range all {
			if from != to {
				pairs = append(pairs, accuracy.Pair{From: from, To: to})
			}
		}
	}
	models := accuracy.Models()
	r, err := accuracy.Measure(dir, models, pairs, nil)
	if err != nil {
		return fmt.Errorf("compare predictions with runs: %w", err)
	}
	for i := range r.Sets {
		set := &r.Sets[i]
		for k, pair := range pairs {
			for m := range models {
				for w := range set.Workloads {
					e := set.Errors[k][m][w]
					if math.IsNaN(e) || math.IsInf(e, 0) {
						continue // the machine has no counters for this model
					}
					p.Errors = append(p.Errors, qualify.ModelError{Model: models[m].Name,
						Program: set.Name, FromHz: int64(pair.From), ToHz: int64(pair.To),
						Percent: e})
				}
			}
		}
	}
	return nil
}
