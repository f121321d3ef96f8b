package meters

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// attributedMachine is a sensor of the whole machine for the attribution: a zone with long windows,
// because the sensor is slow. Its lag is not known while the run goes on, so a late reading is
// booked late.
type attributedMachine struct {
	watch *watch
	cpus  []energy.CPU
	at    units.Instant // time of the last cut; 0 before
	upTo  float64       // time up to which taken counts the readings, s
	taken wattmeter.Sum
}

func (a *attributedMachine) Zones() []energy.Zone {
	return []energy.Zone{{Name: profile.TrainedZone, CPUs: a.cpus, Source: energy.Measured}}
}

func (a *attributedMachine) Model() string { return "" }

func (a *attributedMachine) Fill(*energy.Window) {}

// Cut returns the mean power of the readings since the cut before, times the time. It reads no
// sensor, because a slow one would hold up the governor.
func (a *attributedMachine) Cut(at units.Instant) []units.Energy {
	from := a.at
	a.at = max(from, at)
	power := a.power(time.Duration(at).Seconds())
	if from == 0 || at <= from {
		return make([]units.Energy, 1)
	}
	return []units.Energy{units.Power(power).For(at.Sub(from))}
}

// power returns the mean power since the last call, as far as there are readings. Where none has
// come since, it returns the last one's.
func (a *attributedMachine) power(to float64) float64 {
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	readings := a.watch.track.Newest()
	if len(readings) == 0 {
		return 0
	}
	last := readings[len(readings)-1]
	if to = min(to, last.At); to <= a.upTo {
		return last.Power
	}
	sum := a.watch.track.Until(to)
	p := sum.Less(a.taken).Mean()
	a.upTo, a.taken = to, sum
	if math.IsNaN(p) {
		return last.Power
	}
	return p
}
