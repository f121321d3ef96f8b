package meters

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// jvmEvents counts the events of the target's JVMs, for a power model. A goroutine of its own looks
// for JVMs that come later, because it waits for the sandbox. The governor's never waits.
type jvmEvents struct {
	follower *jvm.Follower
	wake     chan bool // gets a value when a window has ended
	stop     context.CancelFunc
	ended    chan error
}

// openEvents attaches to the JVMs that the target may load or has mapped, where the richest model
// wants their events. It returns nil where the model wants none, or the kernel cannot count them.
func openEvents(ctx context.Context, r *part.Run, rich *powermodel.Model, argv []string,
) (_ *jvmEvents, err error) {
	names := jvm.EventsOf(inputNames(rich))
	if len(names) == 0 {
		return nil, nil
	}
	f, err := jvm.Follow(r.Tracer.Followed(), names)
	switch {
	case errors.Is(err, jvm.ErrNotSupported):
		part.Warn(&r.Report, "the power model does without the events of JVMs: "+err.Error())
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("--power-model: %w", err)
	}
	f.OnlyWhole()
	f.OwnIDs(r.OwnID)
	whole, stop := context.WithCancel(context.Background())
	e := &jvmEvents{follower: f, wake: make(chan bool, 1), stop: stop,
		ended: make(chan error, 1)}
	found, err := r.Program.Runtimes(ctx, argv)
	if err != nil {
		f.Doubt(err)
	}
	var failed error
	for _, j := range found {
		failed = errors.Join(failed, f.Attach(ctx, j.File, j.PID))
		j.File.Close() // it was only read
	}
	if failed != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("--power-model: %w", failed), f.Close())
	}
	go func() {
		var failed error
		for range e.wake {
			if err := f.Look(whole); failed == nil {
				failed = err // the first one says enough
			}
		}
		e.ended <- failed
	}()
	return e, nil
}

// window puts the events since the last call into a window's inputs. It reports whether a JVM's are
// counted.
func (e *jvmEvents) window(in map[string]float64) bool {
	counted, err := e.follower.Window(in)
	select {
	case e.wake <- true:
	default: // it is still looking
	}
	return counted && err == nil
}

// end stops the looking, which a target can draw out by minutes. It returns sentences on events
// that were not counted.
func (e *jvmEvents) end() (problems []string) {
	if e.wake == nil {
		return nil
	}
	e.stop()
	close(e.wake)
	e.wake = nil
	if err := <-e.ended; err != nil && !errors.Is(err, context.Canceled) {
		problems = append(problems, err.Error())
	}
	return append(problems, e.follower.Problems()...)
}

func (e *jvmEvents) close() error {
	e.end()
	return e.follower.Close()
}

// inputNames returns the names of a model's inputs.
func inputNames(m *powermodel.Model) (names []string) {
	for _, in := range m.Inputs {
		names = append(names, in.Name)
	}
	return names
}
