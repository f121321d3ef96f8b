package models

import (
	"context"
	"errors"
	"strings"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/train"
)

// Values of --events; any other is a list of names.
const (
	eventsVESTA = "vesta"
	eventsNone  = "none"
)

// eventNames are the events that --events names.
func eventNames(flag string) ([]string, error) {
	switch flag {
	case eventsVESTA:
		return jvm.VESTA, nil
	case eventsNone:
		return nil, nil
	}
	var names []string
	for name := range strings.SplitSeq(flag, ",") {
		if !jvm.ValidEvent(name) || len(names) == mostEvents {
			return nil, command.Usagef("--events %s: give %s, %s, or at most %d names of probes "+
				"without their endings, with commas between", flag, eventsVESTA, eventsNone,
				mostEvents)
		}
		names = append(names, name)
	}
	return names, nil
}

// mostEvents bounds the events that are inputs: a model has at most 1024.
const mostEvents = 256

// events counts what the Java machines of trained programs do.
type events struct {
	*jvm.Follower
	ctx   context.Context
	names []string // names of the inputs
	jvm   string   // library of the JVM that was found first
}

// openEvents opens the counting. A kernel that cannot count is no error: say gets a sentence, and
// there are no such inputs.
func openEvents(ctx context.Context, names []string, d jvm.Depth, say func(string, ...any),
) (*events, error) {
	if len(names) == 0 {
		return nil, nil
	}
	f, err := jvm.Follow(nil, names)
	switch {
	case errors.Is(err, jvm.ErrNotSupported):
		say("warning: the events of Java machines are no inputs: %v", err)
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &events{Follower: f, ctx: ctx, names: jvm.Names(names, d)}, nil
}

var _ train.Events = (*events)(nil)

func (e *events) Names() []string { return e.names }

// Begin attaches to the JVMs that a command may load.
func (e *events) Begin(argv []string) error {
	e.Restart()
	if len(argv) == 0 {
		return nil
	}
	found, err := live.JVMs(argv[0])
	if err != nil {
		e.Doubt(err)
	}
	var failed error
	for _, j := range found {
		if e.jvm == "" {
			e.jvm = j.File.Name()
		}
		failed = errors.Join(failed, e.Attach(e.ctx, j.File, j.PID), j.File.Close())
	}
	return failed
}

// Window looks for JVMs that have come, after it has read the counts.
func (e *events) Window(in map[string]float64) error {
	_, err := e.Follower.Window(in)
	return errors.Join(err, e.Look(e.ctx))
}
