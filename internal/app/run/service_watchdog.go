package run

import (
	"context"
	"io"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// watchdog shows a supervisor that the loop goes round. It does so with the loop's events: at a
// tick, or, where a clock was asked for, at the machine's answer, which is read back from the
// control. A loop that hangs is silent, and so is one whose writes come to no end. Nothing else
// feeds it: while all tenants sleep, the timer only has the loop go round once.
type watchdog struct {
	part.Passive
	alive    func()
	patience time.Duration
	sets     bool // clocks are set, so that a request has an answer
	asked    bool // a request has no answer yet
	fed      units.Instant
	wake     func()
	timer    *time.Timer
}

func (w *watchdog) Started() error {
	w.timer = time.AfterFunc(w.patience/2, w.wake)
	return nil
}

func (w *watchdog) Observer() governor.Observer { return w }

// Observe implements governor.Observer.
func (w *watchdog) Observe(ev *governor.Event, actions []governor.Action) {
	done := ev.Kind == governor.Sched && ev.Sched.Kind == epochs.Tick
	if ev.Kind == governor.Applied {
		w.asked, done = false, true
	}
	for i := range actions {
		k := actions[i].Kind
		w.asked = w.asked || w.sets && (k == governor.SetFrequency || k == governor.Insist)
	}
	if !done || w.asked {
		return
	}
	// The clock counts, not the event's time: a loop that is late is not dead.
	if now := monotonic.Now(); now.Sub(w.fed) >= w.patience/4 {
		w.fed = now
		w.alive()
		w.timer.Reset(w.patience / 2)
	}
}

func (w *watchdog) Finish(context.Context, *report.Report) error { return w.Close() }

func (w *watchdog) Close() error {
	if w.timer != nil {
		w.timer.Stop()
	}
	return nil
}

// serviceInstruments opens the instruments of a service: the meters that the governors learn from,
// and the watchdog. It writes no report, so that nothing in it grows.
func (r *run) serviceInstruments(all *several, messages io.Writer) error {
	open, err := meters.Open(&r.Run)
	if err != nil {
		return err
	}
	r.openPosting(all, open)
	if r.guardian != nil {
		r.Use(part.Totals, &withdrawal{why: r.guardian.PutBack, found: all.withdrawn})
	}
	all.host.Warn(func(s string) { printable.Fprintf(messages, "ebb: warning: %s\n", s) })
	if up := r.settings.Tenants.Service.Supervisor; up.Patience() > 0 {
		r.Use(part.Totals, &watchdog{alive: up.Alive, patience: up.Patience(), wake: r.Wake,
			sets: r.Actuator.Name() != cpufreq.Shadow})
	}
	return nil
}
