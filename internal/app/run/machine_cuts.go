package run

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// attributedMachine is a sensor of the whole machine as the attribution reads it: a zone whose
// windows are long, because the sensor is slow. Its lag is not known while the run goes on, so what
// it shows late is booked late.
type attributedMachine struct {
	watch *watch
	cpus  []energy.CPU
	at    units.Instant // of the last cut; 0 before
	upTo  float64       // s: the last reading that counts already
}

func (a *attributedMachine) Zones() []energy.Zone {
	return []energy.Zone{{Name: profile.TrainedZone, CPUs: a.cpus, Source: energy.Measured}}
}

func (a *attributedMachine) Model() string { return "" }

func (a *attributedMachine) Fill(*energy.Window) {}

// Cut is the mean power of the readings since the cut before, times the time. It reads no sensor: a
// slow one would hold up the governor.
func (a *attributedMachine) Cut(at units.Instant) []units.Energy {
	from := a.at
	a.at = at
	if from == 0 {
		a.upTo = time.Duration(at).Seconds()
	}
	if from == 0 || at <= from {
		return make([]units.Energy, 1)
	}
	power := a.watch.mean(&a.upTo, time.Duration(at).Seconds())
	return []units.Energy{units.Power(power).For(at.Sub(from))}
}

// mean is the mean power from a time to another one, or as far as there are readings: from becomes
// that time. Where there is no reading in between it is the last one's power.
func (w *watch) mean(from *float64, to float64) float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.readings) == 0 {
		return 0
	}
	last := w.readings[len(w.readings)-1]
	to = min(to, last.At)
	p := wattmeter.Mean(w.readings, *from, to, wattmeter.MostGap)
	*from = max(*from, to)
	if math.IsNaN(p) {
		return last.Power
	}
	return p
}
