package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/printable"
)

// putBack gives the machine's frequencies back. It comes before all else that a run ends with,
// because what follows reads files and writes to pipes that others have made, and can take long. A
// second call does nothing.
func (n *session) putBack() {
	if n.actuator == nil || n.isBack {
		return
	}
	n.isBack = true
	n.restoreErr = attempt(func() (err error) {
		n.restoration, err = n.actuator.Close()
		return err
	})
	if n.tracer != nil {
		n.tracer.Watch(0)
	}
	if n.ended != nil {
		n.ended()
	}
}

// close gives everything back: the machine's frequencies first. It is called whatever happened.
// What fails stops nothing that follows.
func (n *session) close() error {
	n.putBack()
	for _, c := range n.restoration.Controls {
		if c.Result == cpufreq.Kept {
			printable.Fprintf(os.Stderr, "ebb: %s\n", c.String())
		}
	}
	var errs []error
	if n.restoreErr != nil {
		errs = append(
			errs, fmt.Errorf(
				"put the machine's frequencies back: %w (sudo ebb restore tries again)", n.restoreErr,
			),
		)
	}
	if n.abandoned.Load() {
		return errors.Join(errs...) // the process ends, and the kernel closes the rest
	}
	for _, step := range n.closing() {
		errs = append(errs, attempt(step))
	}
	return errors.Join(errs...)
}

// closing is what is to be closed, in this order.
func (n *session) closing() (steps []func() error) {
	if n.methods != nil {
		steps = append(steps, n.methods.sampler.Close)
		if n.methods.reader != nil {
			steps = append(steps, n.methods.reader.Close)
		}
		if n.methods.temporary != nil {
			steps = append(steps, n.methods.temporary.Close)
		}
	}
	if n.network != nil {
		steps = append(steps, n.network.counter.Close)
	}
	if n.tracer != nil {
		steps = append(steps, n.tracer.Close)
	}
	if n.counters != nil {
		steps = append(steps, n.counters.Close)
	}
	if n.meters != nil {
		steps = append(steps, n.meters.open.Close)
	}
	if n.memory != nil {
		steps = append(steps, n.memory.open.Close)
	}
	if n.table != nil {
		steps = append(steps, func() error { n.table.Discard(); return nil })
	}
	if n.recording != nil {
		steps = append(steps, n.recording.Close)
	}
	if n.reportFile != nil {
		steps = append(steps, n.reportFile.Close)
	}
	if n.cgroup != nil {
		steps = append(steps, n.cgroup.Close)
	}
	if n.sysfs != nil {
		steps = append(steps, n.sysfs.Close)
	}
	return steps
}

// attempt makes a fault of ebb's own in one step of undoing that step's error.
func attempt(step func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return step()
}
