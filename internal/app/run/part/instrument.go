package part

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
)

// Instrument measures or writes something besides governing. Embed Passive for the methods that an
// instrument does not need.
type Instrument interface {
	// Start is called right before the target starts, in the order of opening. It returns the
	// command line to start, which it may have extended; an attached target has none.
	Start(argv []string) ([]string, error)
	// Started is called right after, the last opened first.
	Started() error
	// Observer sees every event; nil for none.
	Observer() governor.Observer
	// Finish adds its results to the report, phase by phase. The target's time is over and the
	// frequencies are back. The context ends when the user wants the end to be quick.
	Finish(ctx context.Context, r *report.Report) error
	// Close releases everything that is held, however the run went, the last opened first.
	Close() error
}

// Passive is an instrument that does nothing.
type Passive struct{}

func (Passive) Start(argv []string) ([]string, error)        { return argv, nil }
func (Passive) Started() error                               { return nil }
func (Passive) Observer() governor.Observer                  { return nil }
func (Passive) Finish(context.Context, *report.Report) error { return nil }
func (Passive) Close() error                                 { return nil }

// Phase orders the instruments' results: an instrument may read what those of earlier phases have
// added to the report. Within a phase the first opened finishes first.
type Phase int

const (
	Totals   Phase = iota // time, energy and events of the whole run
	Recorded              // the recording; names can take long, and it must not wait for them
	OwnCost               // what ebb itself has cost so far
	Divided               // the totals by thread, method and function
	Priced                // what counted calls cost the methods
	Streamed              // the end of what is shown while the run lasts
	Checked               // the report as a whole: bounds, one sum, a verdict
	Shown                 // the summary
	Passed                // what the caller does with the report
	Filed                 // files that hold the report
)

// Used is an instrument in use.
type Used struct {
	Instrument
	Phase Phase
}

// Use adds an instrument to the run, whose results enter the report in a phase.
func (r *Run) Use(p Phase, i Instrument) {
	r.Instruments = append(r.Instruments, Used{i, p})
	r.Opened.Push(i.Close)
}

// ByPhase returns the instruments in the order in which they finish.
func (r *Run) ByPhase() []Used {
	return slices.SortedStableFunc(slices.Values(r.Instruments),
		func(a, b Used) int { return cmp.Compare(a.Phase, b.Phase) })
}

// Finishing is an instrument that only adds to the report.
type Finishing struct {
	Passive
	Add func(*report.Report) error
}

func (f Finishing) Finish(_ context.Context, r *report.Report) error { return f.Add(r) }

// Stack has the functions that close what was opened.
type Stack []func() error

// Push adds what closes something that was opened last.
func (s *Stack) Push(close func() error) { *s = append(*s, close) }

// Close closes all, the last opened first. A failure does not stop the next step.
func (s *Stack) Close() error {
	var errs []error
	for i := len(*s) - 1; i >= 0; i-- {
		errs = append(errs, Attempt((*s)[i]))
	}
	*s = nil
	return errors.Join(errs...)
}

// Attempt turns a panic in one step of the end into that step's error.
func Attempt(step func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return step()
}
