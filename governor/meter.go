package governor

import (
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// meter pairs the work in a window with the energy that a meter showed, and has the power model
// learn from both. A window begins and ends with quanta; the meter's readings come at other times,
// so the energy at its ends is interpolated from the newest two readings.
type meter struct {
	fit          power.Fit
	before, last reading // newest two readings; before.at < last.at
	// from and upTo are the bounds of the window in progress; from.at is 0 when there is none.
	from, upTo reading
	done       power.Features // features of the window's quanta so far
	lower      int            // windows learned from whose last quantum was below the highest
	skipped    time.Duration  // time of successive quanta that ebb took part of
}

type reading struct {
	at               units.Instant
	processor, cores float64 // nJ; cores is 0 where they have no meter
}

// shortestWindow bounds windows from below. Meters are updated about every millisecond and read
// with as much jitter.
const shortestWindow = units.Instant(40 * time.Millisecond)

// oldReading is the age beyond which a reading says nothing of the end of a quantum.
const oldReading = units.Instant(25 * time.Millisecond)

// reading takes a Metered event.
func (m *meter) reading(ev *Event) {
	if ev.At <= m.last.at {
		return
	}
	m.before, m.last = m.last, reading{ev.At, float64(ev.Package), float64(ev.Cores)}
}

// at returns the reading at t, and whether the newest two readings are near enough.
func (m *meter) at(t units.Instant) (reading, bool) {
	a, b := &m.before, &m.last
	if a.at == 0 || t-b.at > oldReading || b.at-t > oldReading {
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

// mostBeside is the part of two quanta in which ebb's own processes may have computed in the
// program's place. The meter has seen them, and the model would take what they used for what flows
// at any clock: then no lower one seems to save. After longestSkip it is not ebb's start any more,
// and the model learns with it.
const (
	mostBeside  = 0.05
	longestSkip = time.Second
)

// beside reports whether a quantum is skipped. Ebb ran in the program's place for own in it and the
// one before.
func (m *meter) beside(q *Measured, own time.Duration) bool {
	if float64(own) <= mostBeside*2*float64(q.Dur) {
		m.skipped = 0
		return false
	}
	m.skipped += q.Dur
	return m.skipped <= longestSkip
}

// quantum takes the quantum that is decided on, whose work ran at base Hz. In it and the one before
// ebb ran in the program's place for own.
func (m *meter) quantum(q *Measured, base float64, own time.Duration, highest units.Frequency) {
	end := q.Start.Add(q.Dur)
	now, known := m.at(end)
	if !known || q.Hole || q.Dur <= 0 {
		m.from = reading{}
		return
	}
	if beside := m.beside(q, own); beside || m.from.at == 0 || m.upTo.at != q.Start {
		m.from, m.upTo, m.done = now, now, power.Features{}
		return
	}
	reads, _ := q.Lines()
	x := m.fit.Features(power.Activity{
		F: units.Frequency(base), Dur: q.Dur, CoreBusy: q.ThreadRun,
		Instructions: float64(q.Instructions), Requests: float64(reads),
	})
	m.done.Add(&x)
	m.upTo.at = end
	if end-m.from.at >= shortestWindow {
		var cores units.Energy
		if m.from.cores > 0 && now.cores > 0 {
			cores = units.Energy(now.cores - m.from.cores)
		}
		m.fit.Learn(&m.done, units.Energy(now.processor-m.from.processor), cores)
		m.lowered(base, highest)
		m.from, m.upTo, m.done = now, now, power.Features{}
	}
}
