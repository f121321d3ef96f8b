package simhost

import (
	"fmt"

	"github.com/ebb-energy/ebb/governor"
)

// restoreTries is the number of writes after which Restore gives up: a write that is refused now
// may succeed the next time.
const restoreTries = 50

// Restore puts the requested frequency back to what it was before the first event, as every end of
// a run on a host does. It does nothing if no event was taken, and writes nothing if the request is
// unchanged.
func (r *Rig) Restore() error {
	if !r.begun {
		return nil
	}
	for range restoreTries {
		if r.computer.Control() == r.found {
			return nil
		}
		r.computer.Request(r.found)
	}
	return fmt.Errorf("put the simulated machine back to %v: refused %d times", r.found,
		restoreTries)
}

// find notes the frequency that the run finds.
func (r *Rig) find(ev *governor.Event) {
	if ev.Kind == governor.Begin && !r.begun {
		r.begun, r.found = true, ev.Frequency
	}
}
