package serve

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
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

// instruments opens the instruments of a service: the meters that the governors learn from, the
// writing on the board, what finds out that clocks were put back, and the watchdog. A service
// writes no report, so that nothing in it grows.
func (s *service) instruments(r *run.Several, withdrawn chan error) error {
	open, err := meters.Open(r.Run)
	if err != nil {
		return err
	}
	s.openPosting(r, open)
	if r.Guardian() != nil {
		r.Use(part.Totals, &withdrawal{why: r.Actuator.Withdrawal, found: withdrawn})
	}
	r.Host().Warn(func(text string) { s.complain("warning: %s", text) })
	if up := s.Supervisor; up.Patience() > 0 {
		r.Use(part.Totals, &watchdog{alive: up.Alive, patience: up.Patience(), wake: r.Wake,
			sets: r.Actuator.Name() != cpufreq.Shadow})
	}
	return nil
}
