package host

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/predictor/accuracy"
	"github.com/ebb-energy/ebb/qualify"
	"github.com/ebb-energy/ebb/units"
)

// predictions is step 5: it records each program at each clock, and predicts each run from the
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
	for _, name := range h.Plan.Programs {
		program, err := h.program(ctx, name)
		if err != nil {
			return err
		}
		// A directory for each, because all are the same command.
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
		for _, f := range all {
			h.Say("   records %s at %v", name, f)
			before := h.throttled()
			file := filepath.Join(dir, name, fmt.Sprintf("%s.%d.csv.gz", name, int64(f)))
			if err := h.recorded(ctx, file, program, f); err != nil {
				return err
			}
			took, err := total(file)
			if err != nil {
				return err
			}
			p.Runs = append(p.Runs, qualify.Timed{Program: name, Hz: int64(f), WallNS: took,
				Throttled: since(before, h.throttled()).Any()})
		}
	}
	return errorsOf(dir, all, p)
}

// errorsOf are the models' errors on the tables.
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
						continue // nothing that counts what this model needs
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
