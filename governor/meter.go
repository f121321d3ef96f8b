package governor

import (
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// meter puts what was done beside what an energy meter showed, in windows, and lets the power model
// learn of it. A window begins and ends with quanta; the meter's readings come at other times, so
// its energy there is reckoned along the newest two readings.
type meter struct {
	fit          power.Fit
	before, last reading
	from, upTo   reading // of the window in progress; from.at is 0 when there is none
	done         power.Features
}

type reading struct {
	at               units.Instant
	processor, cores float64 // nJ; cores is 0 where they have no meter
}

// window is how long a window is at least. Meters are updated about every millisecond and read with
// as much jitter.
const window = units.Instant(40 * time.Millisecond)

// stale is the age beyond which a reading says nothing of the end of a quantum.
const stale = units.Instant(25 * time.Millisecond)

// reading takes a Metered event.
func (m *meter) reading(ev *Event) {
	if ev.At <= m.last.at {
		return
	}
	m.before, m.last = m.last, reading{ev.At, float64(ev.Package), float64(ev.Cores)}
}

// at is the reading at t, and whether the newest two are near enough to tell.
func (m *meter) at(t units.Instant) (reading, bool) {
	a, b := &m.before, &m.last
	if a.at == 0 || t-b.at > stale || b.at-t > stale {
		return reading{}, false
	}
	along := func(x, y float64) float64 {
		return y +
			float64((y-x)/float64(b.at-a.at)*float64(t-b.at))
	}
	r := reading{at: t, processor: along(a.processor, b.processor)}
	if a.cores > 0 && b.cores > 0 {
		r.cores = along(a.cores, b.cores)
	}
	return r, true
}

// quantum takes the quantum that is decided on.
func (m *meter) quantum(t *tally) {
	now, known := m.at(t.end)
	if !known || t.Hole || t.Dur <= 0 {
		m.from = reading{}
		return
	}
	if m.from.at == 0 || m.upTo.at != t.Start {
		m.from, m.upTo, m.done = now, now, power.Features{}
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
		var cores units.Energy
		if m.from.cores > 0 && now.cores > 0 {
			cores = units.Energy(now.cores - m.from.cores)
		}
		m.fit.Learn(&m.done, units.Energy(now.processor-m.from.processor), cores)
		m.from, m.upTo, m.done = now, now, power.Features{}
	}
}
