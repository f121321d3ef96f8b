package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
)

// longest is the time limit of a program on the machine's clock: many times what any program needs.
const longest = time.Minute

// watch shows a run to the checkers.
type watch struct {
	c       *Case
	m       *simtest.Computer
	with    *tamper
	machine *invariants
	energy  *energyAudit
	audit   *audit
	events  int
	stopped bool
}

// run is governor.Run, with the checkers and the tampering between governor and machine.
func (w *watch) run(g *governor.Governor, m governor.Machine) error {
	ctx := context.Background()
	buf := make([]governor.Event, 256)
	var actions []governor.Action
	for {
		n, err := m.Next(ctx, buf)
		for i := range buf[:n] {
			ev := &buf[i]
			w.events++
			w.see(ev)
			actions = actions[:0]
			if w.with.event == nil || w.with.event(ev) {
				actions = g.Step(ev, actions)
			}
			if w.with.actions != nil {
				actions = w.with.actions(ev, actions)
			}
			w.audit.step(ev, actions)
			for _, a := range actions {
				if a.Kind == governor.SetFrequency {
					w.machine.request(w.m.Now(), a.Frequency)
				}
				if err := m.Apply(a); err != nil {
					return fmt.Errorf("apply: %w", err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if w.m.Now().Sub(w.audit.start) > longest {
			w.audit.fail("progress", "the program does not end")
			w.stopped = true
			return nil
		}
		if w.c.Stop > 0 && w.m.Now().Sub(w.audit.start) >= w.c.Stop {
			w.stopped = true
			return nil
		}
	}
}

// see passes an event to the machine's watchers.
func (w *watch) see(ev *governor.Event) {
	e := simtest.Event{At: ev.At, Frequency: ev.Frequency, Refusal: ev.Refusal, Sched: ev.Sched}
	switch ev.Kind {
	case governor.Begin:
		e.Kind = simtest.Begin
	case governor.Sched:
		e.Kind = simtest.Sched
	case governor.Applied:
		e.Kind = simtest.Clock
	case governor.End:
		e.Kind = simtest.End
	case governor.Metered:
		reported := ev.Package
		if w.with.reported != nil {
			reported = w.with.reported(reported)
		}
		w.energy.metered(w.m, reported, w.c.Late > 0)
		return
	default:
		return
	}
	if w.with.machine != nil && !w.with.machine(&e) {
		return
	}
	w.machine.event(&e)
	if e.Kind != simtest.Sched || isTick(ev) {
		w.machine.Energy(w.m.Now(), w.energy.look(w.m))
	}
}

func (w *watch) finish() {
	truth := w.m.Truth()
	if w.with.truth != nil {
		w.with.truth(truth)
	}
	if !w.stopped {
		w.machine.finish(truth)
		w.audit.finish(truth)
	}
	w.audit.restored(w.m.Control(), w.c.Options.Initial)
}

func (w *watch) broken() []Broken {
	all := append([]Broken(nil), w.machine.Broken()...)
	all = append(all, w.energy.broken...)
	return append(all, w.audit.broken...)
}
