package campaign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/governor/sim"
	"github.com/ebb-energy/ebb/simtest"
)

// Result is what a run showed.
type Result struct {
	Broken []simtest.Broken // what did not hold; empty when all is well
	Truth  *simtest.Truth
	Events int
	Quanta int // decided
	Holes  int
	Trace  [sha256.Size]byte // of everything that passed between governor and machine
	// Recording is what passed, as governor/replay writes it.
	Recording []byte
}

// Tamper changes what the governor does or what the checkers are told, to show that they find it.
type Tamper struct {
	// Event and Actions change what goes into the governor and what comes out of it; false drops an event.
	Event   func(*governor.Event) bool
	Actions func(*governor.Event, []governor.Action) []governor.Action
	// The others change what the checkers see: the machine's options and events, the governor's epochs, the truth.
	Options func(*simtest.Options)
	Machine func(*simtest.Event) bool
	Epoch   func(*epochs.Epoch) bool
	Truth   func(*simtest.Truth)
	// NoRestore leaves the machine as it is at the end.
	NoRestore bool
}

// Run runs a case. Its error is for what keeps it from running at all.
func Run(c *Case, tamper *Tamper) (*Result, error) {
	if tamper == nil {
		tamper = &Tamper{}
	}
	m, err := simtest.New(c.Profile, c.Workload, c.Options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	g, err := governor.New(c.Config)
	if err != nil {
		return nil, err
	}
	var recording bytes.Buffer
	simulated := sim.NewMachine(m)
	recorder, err := replay.NewRecorder(simulated, c.Config, &recording)
	if err != nil {
		return nil, err
	}
	told := c.Options
	if tamper.Options != nil {
		tamper.Options(&told)
	}
	w := watch{c: c, m: m, tamper: tamper, machine: simtest.NewInvariants(c.Profile, told), energy: newEnergyAudit(m, &told.Faults), audit: newAudit(c)}
	g.Epochs(func(e *epochs.Epoch) {
		if tamper.Epoch == nil || tamper.Epoch(e) {
			w.audit.epoch(e)
		}
	})
	if err := w.run(g, recorder); err != nil {
		return nil, err
	}
	if !tamper.NoRestore {
		if err := simulated.Restore(); err != nil {
			w.audit.fail("restore", "%v", err)
		}
	}
	w.finish()
	if err := recorder.Finish(); err != nil {
		return nil, err
	}
	res := &Result{
		Broken: w.broken(), Truth: m.Truth(), Events: w.events, Quanta: w.audit.quanta, Holes: w.audit.holes,
		Recording: recording.Bytes(), Trace: sha256.Sum256(recording.Bytes()),
	}
	return res, nil
}

// longest is how long a program may take, on the machine's clock: many times what any of them needs.
const longest = time.Minute

// watch shows a run to the checkers.
type watch struct {
	c       *Case
	m       *simtest.Machine
	tamper  *Tamper
	machine *simtest.Invariants
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
			if w.tamper.Event == nil || w.tamper.Event(ev) {
				actions = g.Step(ev, actions)
			}
			if w.tamper.Actions != nil {
				actions = w.tamper.Actions(ev, actions)
			}
			w.audit.step(ev, actions)
			for _, a := range actions {
				if a.Kind == governor.SetFrequency {
					w.machine.Request(w.m.Now(), a.Frequency)
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

// see shows an event to those who watch the machine.
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
	default:
		return
	}
	if w.tamper.Machine != nil && !w.tamper.Machine(&e) {
		return
	}
	w.machine.Event(&e)
	if e.Kind != simtest.Sched || w.audit.ticked(ev) {
		w.machine.Energy(w.m.Now(), w.energy.look(w.m))
	}
}

func (w *watch) finish() {
	truth := w.m.Truth()
	if w.tamper.Truth != nil {
		w.tamper.Truth(truth)
	}
	if !w.stopped {
		w.machine.Finish(truth)
		w.audit.finish(truth)
	}
	w.audit.restored(w.m.Control(), w.c.Options.Initial)
}

func (w *watch) broken() []simtest.Broken {
	all := append([]simtest.Broken(nil), w.machine.Broken()...)
	all = append(all, w.energy.broken...)
	return append(all, w.audit.broken...)
}

// Replayed plays a result's recording to the governor again. It is an error that names the first difference when the
// governor does anything else than before.
func Replayed(r *Result) error {
	p, err := replay.NewPlayer(bytes.NewReader(r.Recording))
	if err != nil {
		return err
	}
	g, err := governor.New(p.Config())
	if err != nil {
		return err
	}
	return governor.Run(context.Background(), g, p)
}
