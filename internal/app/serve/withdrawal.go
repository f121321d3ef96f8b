package serve

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// withdrawal finds out that a service's clocks were put back: by the guardian, since ebb stood
// still for a while, or by ebb itself, since it had lost its guardian or the terminal stopped it.
// Nothing is set from then on.
// A run says so at its end; a service has none, and begins anew.
//
// A machine that is suspended stops all processes before its devices, and the clock and the
// kernel's timers go on meanwhile. So ebb has mostly stood still when such a machine comes back.
type withdrawal struct {
	part.Passive
	why   func() error // reason for setting nothing; nil while ebb sets clocks
	found chan error   // gets the reason once
	said  bool
}

func (w *withdrawal) Observer() governor.Observer { return w }

// Observe implements governor.Observer.
func (w *withdrawal) Observe(ev *governor.Event, _ []governor.Action) {
	if w.said || ev.Kind != governor.Applied || ev.Refusal == "" {
		return
	}
	if err := w.why(); err != nil {
		w.said = true
		w.found <- err
	}
}
