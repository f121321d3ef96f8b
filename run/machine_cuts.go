package run

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/units"
	"github.com/ebb-energy/ebb/wattmeter"
)

// attributedMachine is a sensor of the whole machine as the attribution reads it: a zone whose
// windows are long, because the sensor is slow. Its lag is not known while the run goes on, so what
// it shows late is booked late.
type attributedMachine struct {
	watch *watch
	cpus  []energy.CPU
	at    units.Instant // of the last cut; 0 before
}

func (a *attributedMachine) Zones() []energy.Zone {
	return []energy.Zone{{Name: profile.TrainedZone, CPUs: a.cpus, Source: energy.Measured}}
}

func (a *attributedMachine) Model() string { return "" }

func (a *attributedMachine) Fill(*energy.Window) {}

// Cut is the mean power since the cut before, times the time.
func (a *attributedMachine) Cut(at units.Instant) []units.Energy {
	from := a.at
	a.at = at
	if from == 0 || at <= from {
		return make([]units.Energy, 1)
	}
	power := a.watch.mean(time.Duration(from).Seconds(), time.Duration(at).Seconds())
	return []units.Energy{units.Power(power).For(at.Sub(from))}
}

// mean is the mean power of the newest readings: those of a time, or else the last one.
func (w *watch) mean(from, to float64) float64 {
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.readings) == 0 {
		return 0
	}
	last := w.readings[len(w.readings)-1]
	if p := wattmeter.Mean(w.readings, from, math.Min(to, last.At),
		wattmeter.MostGap); !math.IsNaN(p) {
		return p
	}
	return last.Power
}
