package run

import (
	"context"
	"errors"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
)

// hurry bounds the rest of a run's end after a second ending signal.
const hurry = 2 * time.Second

var errAbandoned = errors.New(
	"the run's end was interrupted: its report and summary may be missing",
)

// conclude calls finish. After the user asks for a quick end it returns soon, even if finish still
// waits for a name or a file: finish then goes on until the process ends. The frequencies are
// restored already.
func (r *run) conclude() error {
	finished := make(chan error, 1)
	go func() { finished <- r.finish() }()
	select {
	case err := <-finished:
		return err
	case <-r.end.hurried:
	}
	select {
	case err := <-finished:
		return err
	case <-time.After(hurry):
		r.end.abandoned.Store(true)
		return errAbandoned
	}
}

// finish completes the report, prints the summary and writes the files. Each instrument does its
// part, until one finds an impossible figure: a person must not see it as a measurement.
func (r *run) finish() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-r.end.hurried:
			cancel()
		case <-ctx.Done():
		}
	}()
	var errs []error
	for _, i := range r.ByPhase() {
		err := i.Finish(ctx, &r.Report)
		errs = append(errs, err)
		if errors.Is(err, report.ErrImpossible) {
			break
		}
	}
	return errors.Join(errs...)
}
