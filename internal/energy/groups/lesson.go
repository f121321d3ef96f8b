package groups

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// lesson is what a zone learns from: a window, or several in a row that are so short that energy
// and CPU time, which are not read at one moment, are only together nearly of one time. Short
// windows of a large machine, whose CPUs take long to read, are of that kind.
type lesson struct {
	lasted, apart time.Duration
	used          units.Energy
	busy, idle    time.Duration
	work          features
	uncounted     bool // some CPU worked and counted nothing
}

// add adds a window in which the zone used so much energy. A window that says enough by itself is a
// lesson by itself, and a meter that stood still teaches nothing.
func (l *lesson) add(z *energy.Zone, w *Window, used units.Energy) {
	if own := (lesson{lasted: w.lasted(), apart: w.Apart}); l.teaches() || own.teaches() ||
		l.used <= 0 {
		*l = lesson{}
	}
	if used <= 0 {
		*l = lesson{}
		return
	}
	l.lasted += w.lasted()
	l.apart = max(l.apart, w.Apart)
	l.used += used
	l.busy += w.busy(z)
	l.idle += on(z, w.Idle)
	l.uncounted = l.uncounted || w.Uncounted
}

// price adds the work of the window that was added last. It reports whether the lesson is one on
// prices.
func (l *lesson) price(all *features) bool {
	for i := range all {
		l.work[i] += all[i]
	}
	return l.teaches() && !l.uncounted
}

// above returns the energy above idle, J. The idle power may have become known by this very lesson.
func (l *lesson) above(idle units.Power) float64 {
	return float64(max(l.used-idle.For(l.lasted), 0)) / 1e9
}

// teaches reports whether energy and CPU time are so nearly of one time that they say something
// about other times.
func (l *lesson) teaches() bool { return l.lasted > 0 && l.apart <= l.lasted/100 }
