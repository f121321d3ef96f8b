package governor

import "github.com/ebb-energy/ebb/units"

// delivered is the frequency that the machine reported over time: now, a few quanta ago, and
// changes not yet passed.
type delivered struct {
	changes []clockChange // ascending in time
	passed  int           // changes before this index have been passed; <= len(changes)
}

type clockChange struct {
	at units.Instant
	f  units.Frequency
}

// keptChanges is the number of passed changes that are kept. Epochs come at most a quantum late,
// and a quantum has at most a few.
const keptChanges = 16

// change enters that f was delivered from at on.
func (d *delivered) change(at units.Instant, f units.Frequency) {
	if n := len(d.changes); n > 0 && at < d.changes[n-1].at {
		at = d.changes[n-1].at
	}
	if d.passed > 2*keptChanges {
		drop := d.passed - keptChanges
		d.changes = append(d.changes[:0], d.changes[drop:]...)
		d.passed -= drop
	}
	d.changes = append(d.changes, clockChange{at, f})
	if len(d.changes) == 1 {
		d.passed = 1
	}
}

// upcoming returns the time of the next change not yet passed.
func (d *delivered) upcoming() (units.Instant, bool) {
	if d.passed >= len(d.changes) {
		return 0, false
	}
	return d.changes[d.passed].at, true
}

func (d *delivered) pass() { d.passed++ }

// at returns the frequency at t, or the oldest known one for earlier times.
func (d *delivered) at(t units.Instant) units.Frequency {
	for i := len(d.changes) - 1; i > 0; i-- {
		if d.changes[i].at <= t {
			return d.changes[i].f
		}
	}
	return d.changes[0].f
}
