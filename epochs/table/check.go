package table

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
)

// ErrEpoch is wrapped by Write's errors about an epoch that a table cannot hold.
var ErrEpoch = errors.New("not an epoch of this table")

// check returns an error that says why a reader would refuse e.
func (w *Writer) check(e *epochs.Epoch) error {
	if e.Start < 0 || e.Dur < 0 || e.Start < w.end || e.Start+e.Dur < e.Start {
		return fmt.Errorf("%w: %d+%d after %d", ErrOrder, e.Start, e.Dur, w.end)
	}
	if x := e.Waits; min(x.Runnable, x.Throttled, x.Program, x.World) < 0 {
		return fmt.Errorf("%w: waits %+v", ErrNegative, x)
	}
	if len(e.Rows) > maxRows {
		return fmt.Errorf("%d rows", len(e.Rows))
	}
	for _, end := range e.Ends {
		if !end.Kind.Known() || end.Kind.HasThread() && end.Thread < 0 || end.By < epochs.NoThread {
			return fmt.Errorf("%w: %q", ErrEnds, end)
		}
	}
	last := epochs.NoThread
	for i := range e.Rows {
		r := &e.Rows[i]
		if r.Thread <= last {
			return fmt.Errorf("thread %d after %d", r.Thread, last)
		}
		last = r.Thread
		if len(r.Values) != len(w.columns)-len(before) {
			return fmt.Errorf("%w: %d counters", ErrWidth, len(r.Values))
		}
		for _, v := range r.Values {
			if v < 0 {
				return fmt.Errorf("%w: counter %d", ErrNegative, v)
			}
		}
	}
	return nil
}
