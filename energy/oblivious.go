package energy

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Names of the rules that Chappie compares: Algorithm 1 divides equally among active threads, and
// Table 2 attributes more than there is.
const (
	Equal     = "equal"
	Oblivious = "oblivious"
)

// oblivious gives every thread that ran all of the window's energy, as an instrument around a
// method does that ignores concurrent threads (Chappie, Table 2). The unattributed energy is below
// zero by the energy that was given more than once.
type oblivious struct{}

func (oblivious) Name() string { return Oblivious }

func (oblivious) Overcounts() bool { return true }

func (oblivious) split(z *Zone, used units.Energy, w *Window, d *division) {
	seen := map[epochs.TID]bool{}
	for i := range w.Runs {
		if r := &w.Runs[i]; z.has(r.CPU) && r.Time() > 0 && !seen[r.Thread] {
			seen[r.Thread] = true
			d.give(r.Thread, used)
		}
	}
	if len(seen) == 0 {
		d.idle = used
	}
}
