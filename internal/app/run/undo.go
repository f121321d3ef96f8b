package run

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// end is the state of a run's end.
type end struct {
	hurried     <-chan struct{} // closed when the user wants the end to be quick
	unwatch     func()          // ends the guardian's watch for a stall
	rewatch     func()          // begins it again
	reached     func()          // called when the frequencies are back
	isBack      bool            // the frequencies are back
	restoration cpufreq.Restoration
	restoreErr  error
	abandoned   atomic.Bool // the end goes on in another goroutine, with all that is open
}

// putBack restores the machine's frequencies. It is the first step of a run's end, because the
// other steps read files and write to pipes that others have made, and can take long. A second call
// does nothing.
func (r *run) putBack() {
	if r.Actuator == nil || r.end.isBack {
		return
	}
	r.end.isBack = true
	r.end.restoreErr = part.Attempt(func() (err error) {
		r.end.restoration, err = r.Actuator.Close()
		return err
	})
	r.end.unwatch()
	r.end.reached()
	if r.stop != nil {
		r.stop.over()
	}
}

// close releases everything, the machine's frequencies first. It is called however the run went. A
// failure does not stop the next step.
func (r *run) close() error {
	r.putBack()
	for _, c := range r.end.restoration.Controls {
		if c.Result == cpufreq.Kept {
			printable.Fprintf(os.Stderr, "ebb: %s\n", c.String())
		}
	}
	err := r.end.restoreErr
	if err != nil {
		err = restoreError(err)
	}
	if r.end.abandoned.Load() {
		return err // the process ends, and the kernel closes the rest
	}
	return errors.Join(err, r.Opened.Close())
}

// restoreError adds the way to retry to a failed restore.
func restoreError(err error) error {
	return fmt.Errorf("put the machine's frequencies back: %w (sudo ebb restore tries again)", err)
}
