package governor

import (
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// meter puts what was done beside what an energy meter showed, in windows, and lets the power model learn of it. A window
// begins and ends with quanta; the meter's readings come at other times, so its energy there is reckoned along the
// newest two readings.
type meter struct {
	fit          power.Fit
	before, last reading
	from, upTo   reading // of the window in progress; from.at is 0 when there is none
	done         power.Features
}

type reading struct {
	at     units.Instant
	energy float64 // nJ
}

// window is how long a window is at least. Meters are updated about every millisecond and read with as much jitter.
const window = units.Instant(40 * time.Millisecond)

// stale is the age beyond which a reading says nothing of the end of a quantum.
const stale = units.Instant(25 * time.Millisecond)

// reading takes what the meter showed at a time.
func (m *meter) reading(at units.Instant, e units.Energy) {
	if at <= m.last.at {
		return
	}
	m.before, m.last = m.last, reading{at, float64(e)}
}

// at is the energy at t, and whether the readings are near enough to tell.
func (m *meter) at(t units.Instant) (float64, bool) {
	if m.before.at == 0 || t-m.last.at > stale || m.last.at-t > stale {
		return 0, false
	}
	rate := (m.last.energy - m.before.energy) / float64(m.last.at-m.before.at)
	return m.last.energy + float64(rate*float64(t-m.last.at)), true
}

// quantum takes the quantum that is decided on.
func (m *meter) quantum(t *tally) {
	e, known := m.at(t.end)
	if !known || t.Hole || t.Dur <= 0 {
		m.from = reading{}
		return
	}
	if m.from.at == 0 || m.upTo.at != t.Start {
		m.from, m.done = reading{t.end, e}, power.Features{}
		m.upTo = m.from
		return
	}
	f := t.Delivered
	if t.Busy > 0 {
		f = units.Frequency(t.base())
	}
	reads, _ := t.Lines()
	x := m.fit.Features(power.Activity{
		F: f, Dur: t.Dur, CoreBusy: t.ThreadRun, Instructions: float64(t.Instructions), Requests: float64(reads),
	})
	m.done.Add(&x)
	m.upTo.at = t.end
	if t.end-m.from.at >= window {
		m.fit.Learn(&m.done, units.Energy(e-m.from.energy))
		m.from, m.done = reading{t.end, e}, power.Features{}
		m.upTo = m.from
	}
}
