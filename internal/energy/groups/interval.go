package groups

import (
	"math"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// Spread is the factor by which the power of a second of CPU time can differ between a group and
// the others. On three servers of a public data set (maurocanuto/power-modelling) the power above
// the lowest, for each busy CPU, differed by 2.7, 3.0 and 3.2 times between any two of the programs
// that kept more than 5 % of the CPUs busy.
const Spread = 3.2

// spread returns Spread for a zone with the processor. There is no bound for the memory's own zone,
// because a program whose data are in the caches does not use the memory.
func spread(z *energy.Zone) float64 {
	if strings.HasPrefix(z.Name, "dram") {
		return math.Inf(1)
	}
	return Spread
}

const (
	// asleep is the part of a window for which a zone's CPUs must do nothing, so that its power
	// counts as idle power.
	asleep = 0.95
	// leastSure is the least time over which a mean power says something: meters advance in steps
	// of a millisecond.
	leastSure = 50 * time.Millisecond
)

// floor holds what is known of a zone's idle power.
type floor struct {
	idle  units.Power // lowest mean power of a window asleep; 0: not known yet
	least units.Power // lowest mean power of a window; idle power is not above it
	seen  bool
	// rest is the mean power of the window asleep in which the fewest CPUs were busy, and busy is
	// their number. For an idle power that was given, both are 0.
	rest units.Power
	busy float64
}

// see learns from windows.
func (f *floor) see(l *lesson) {
	if l.lasted < leastSure {
		return
	}
	power := l.used.Over(l.lasted)
	if !f.seen || power < f.least {
		f.least, f.seen = power, true
	}
	if l.idle <= 0 || float64(l.idle) < asleep*float64(l.busy+l.idle) {
		return
	}
	given := f.idle > 0 && f.rest == 0
	lower := f.idle == 0 || power < f.idle
	if lower {
		f.idle = power
	}
	cpus := l.busy.Seconds() / l.lasted.Seconds()
	if given && lower || !given && (f.rest == 0 || cpus < f.busy) {
		f.rest, f.busy = power, cpus
	}
}

// bounds returns the ends of the zone's idle energy in a window in which it used so much energy.
//
// The window that taught the idle power may have had busy CPUs: on a large machine a whole job's. A
// second of theirs took at most k times the power that a second of this window's takes above idle.
func (f *floor) bounds(z *energy.Zone, w *Window, used units.Energy) (low, high units.Energy) {
	dur := w.lasted()
	if f.idle <= 0 {
		return 0, min(f.least.For(dur), used)
	}
	high = min(f.idle.For(dur), used)
	if f.busy == 0 {
		return high, high
	}
	part := f.busy * dur.Seconds() / w.busy(z).Seconds() * spread(z)
	if !(part < 1) {
		return 0, high
	}
	least := (float64(f.rest.For(dur)) - part*float64(used)) / (1 - part)
	return min(units.Energy(max(least, 0)), high), high
}

// busy returns the CPU time of all that ran on a zone's CPUs.
func (w *Window) busy(z *energy.Zone) time.Duration {
	sum := on(z, w.Others)
	for i := range w.Groups {
		sum += on(z, w.Groups[i].Time)
	}
	return sum
}

// on returns the time on a zone's CPUs.
func on(z *energy.Zone, times []time.Duration) (sum time.Duration) {
	for _, place := range z.CPUs {
		if int(place) < len(times) {
			sum += max(times[place], 0)
		}
	}
	return sum
}

// ends returns the ends of a zone's energy in the window.
func (w *Window) ends(zone int) (low, high units.Energy) {
	if zone >= len(w.Low) || zone >= len(w.High) {
		used := max(w.Used[zone], 0)
		return used, used
	}
	return max(w.Low[zone], 0), max(w.High[zone], w.Low[zone], 0)
}

// bound adds a window to the groups' intervals. With a share s of the CPU time, and a spread k, a
// group's part of what is not idle lies between s/(s+k(1-s)) and s/(s+(1-s)/k).
func (a *Account) bound(zone int, w *Window) {
	z := &a.zones[zone]
	low, high := w.ends(zone)
	least, _ := a.floors[zone].bounds(z, w, high)
	_, most := a.floors[zone].bounds(z, w, low)
	all, k := w.busy(z), spread(z)
	if all <= 0 {
		return
	}
	for i := range a.uses {
		s := float64(on(z, a.uses[i].Time)) / float64(all)
		if s == 0 {
			continue
		}
		r, part := a.uses[i].row, 1.0
		if s < 1 {
			part = s / (s + k*(1-s))
		}
		r.Low[zone] = r.Low[zone].Plus(
			units.Energy(float64(low-most) * part))
		r.High[zone] = r.High[zone].Plus(
			units.Energy(float64(high-least)*(s/(s+(1-s)/k)) + 0.5))
	}
}
