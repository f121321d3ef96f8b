package rig

import (
	"fmt"

	"github.com/ebb-energy/ebb/governor"
)

// restoreTries is how often a refused write is tried again: a write that is refused now may be
// taken the next time.
const restoreTries = 50

// Restore puts the machine's control back to what it was before the first event, as every end of a
// run on a host does. It does nothing when no event was taken, and writes nothing when the control
// is what it was.
func (m *Machine) Restore() error {
	if !m.begun {
		return nil
	}
	for range restoreTries {
		if m.machine.Control() == m.found {
			return nil
		}
		m.machine.Request(m.found)
	}
	return fmt.Errorf("put the simulated machine back to %v: refused %d times", m.found,
		restoreTries)
}

// find notes what the machine was found at.
func (m *Machine) find(ev *governor.Event) {
	if ev.Kind == governor.Begin && !m.begun {
		m.begun, m.found = true, ev.Frequency
	}
}
