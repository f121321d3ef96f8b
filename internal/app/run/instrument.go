package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
)

// instrument measures or writes something besides governing. Embed passive for the methods that an
// instrument does not need.
type instrument interface {
	// start is called right before the target starts, in the order of opening. It returns the
	// command line to start, which it may have extended; an attached target has none.
	start(argv []string) ([]string, error)
	// started is called right after, the last opened first.
	started() error
	// observer sees every event; nil for none.
	observer() governor.Observer
	// finish adds its results to the report, phase by phase. The target's time is over and the
	// frequencies are back. The context ends when the user wants the end to be quick.
	finish(ctx context.Context, r *report.Report) error
	// close releases everything that is held, however the run went, the last opened first.
	close() error
}

// passive is an instrument that does nothing.
type passive struct{}

func (passive) start(argv []string) ([]string, error)        { return argv, nil }
func (passive) started() error                               { return nil }
func (passive) observer() governor.Observer                  { return nil }
func (passive) finish(context.Context, *report.Report) error { return nil }
func (passive) close() error                                 { return nil }

// phase orders the instruments' results: an instrument may read what those of earlier phases have
// added to the report. Within a phase the first opened finishes first.
type phase int

const (
	totals   phase = iota // time, energy and events of the whole run
	recorded              // the recording; names can take long, and it must not wait for them
	ownCost               // what ebb itself has cost so far
	divided               // the totals by thread, method and function
	priced                // what counted calls cost the methods
	streamed              // the end of what is shown while the run lasts
	checked               // the report as a whole: bounds, one sum, a verdict
	shown                 // the summary
	passed                // what the caller does with the report
	filed                 // files that hold the report
)

// used is an instrument in use.
type used struct {
	instrument
	phase phase
}

// use adds an instrument to the run, whose results enter the report in a phase.
func (r *run) use(p phase, i instrument) {
	r.instruments = append(r.instruments, used{i, p})
	r.opened.push(i.close)
}

// byPhase returns the instruments in the order in which they finish.
func (r *run) byPhase() []used {
	return slices.SortedStableFunc(slices.Values(r.instruments),
		func(a, b used) int { return cmp.Compare(a.phase, b.phase) })
}

// finishing is an instrument that only adds to the report.
type finishing struct {
	passive
	add func(*report.Report) error
}

func (f finishing) finish(_ context.Context, r *report.Report) error { return f.add(r) }

// stack has the functions that close what was opened.
type stack []func() error

func (s *stack) push(close func() error) { *s = append(*s, close) }

// close closes all, the last opened first. A failure does not stop the next step.
func (s *stack) close() error {
	var errs []error
	for i := len(*s) - 1; i >= 0; i-- {
		errs = append(errs, attempt((*s)[i]))
	}
	*s = nil
	return errors.Join(errs...)
}

// attempt turns a panic in one step of the end into that step's error.
func attempt(step func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return step()
}
