package simtest

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// slicePeriod is the longest slice of a running thread.
const slicePeriod = units.Instant(time.Millisecond)

// records makes the scheduler's records as a tracer on the computer would: only in profiled
// windows, with slices closed at least every slicePeriod and at the end of each quantum, and then a
// tick.
type records struct {
	quantum units.Instant
	period  units.Instant // time from one window's start to the next one's, a multiple of quantum
	open    bool          // a window is open
	edge    units.Instant // end of the quantum, or start of the next window; 0 without records
	sample  units.Instant // time of the next Sample event; 0 for none
	ran     bool          // a record was made since the latest tick
	lost    uint64        // records lost since the latest Lost record
	lostAt  units.Instant // time of the first of them
	rest    rest
}

func (r *records) init(m *Computer) {
	r.quantum = units.Instant(m.options.Quantum)
	r.period = r.quantum * units.Instant(m.options.HoldOff)
	now := m.instant()
	window := now - now%r.period
	r.open = !m.options.Quiet && now-window < r.quantum
	switch {
	case m.options.Quiet:
		r.edge = 0
	case r.open:
		r.edge = window + r.quantum
	default:
		r.edge = window + r.period
	}
	if m.options.Sample > 0 {
		s := units.Instant(m.options.Sample)
		r.sample = now - now%s + s
	}
}

// next returns the next boundary: the end of a slice, a quantum or a sample.
func (r *records) next(m *Computer) ps {
	t := never
	if r.edge > 0 {
		t = at(r.edge)
	}
	if r.sample > 0 {
		t = min(t, at(r.sample))
	}
	if r.open {
		for _, c := range m.cores {
			if c.own() {
				t = min(t, at(c.sliceFrom+slicePeriod))
			}
		}
	}
	return t
}

// pass handles the boundaries that are due now.
func (m *Computer) pass() {
	r := &m.records
	now := m.instant()
	if r.open {
		for _, c := range m.cores {
			if c.own() && (now >= c.sliceFrom+slicePeriod || now == r.edge) {
				m.recordSlice(c)
			}
		}
	}
	if now == r.edge {
		m.passEdge(now)
	}
	if now == r.sample {
		m.emit(Event{Kind: Sample, At: now, Frequency: m.clock.f})
		r.sample += units.Instant(m.options.Sample)
	}
}

// passEdge ends a window, or begins one.
func (m *Computer) passEdge(now units.Instant) {
	r := &m.records
	if r.open {
		m.visit(now)
		if r.rest.goesOn(now) {
			r.edge += r.quantum
			return
		}
		if r.ran || slices.ContainsFunc(m.cores, (*core).own) {
			m.tick(now)
		}
		if r.period == r.quantum {
			r.edge += r.quantum
			return
		}
		r.open = false
		r.edge += r.period - r.quantum
		return
	}
	r.open = true
	r.edge += r.quantum
	for _, c := range m.cores {
		if c.own() {
			m.openSlice(c, now)
			m.record(&epochs.Event{Kind: epochs.On, Cause: epochs.Seen, At: now, Thread: c.t.id,
				By: epochs.NoThread, CPU: int16(c.id)})
		}
	}
}

func (m *Computer) tick(now units.Instant) {
	m.reportLost(now)
	m.emit(Event{Kind: Sched, At: now,
		Sched: epochs.Event{Kind: epochs.Tick, At: now,
			Thread: epochs.NoThread, By: epochs.NoThread}})
	m.records.ran = false
	m.observe()
	m.read()
}

// observe lets the observer of a tick have its time: the threads that run stand still.
func (m *Computer) observe() {
	if m.options.Overhead == 0 || m.active == 0 {
		return
	}
	m.overhead += m.options.Overhead
	m.clock.halt(m, m.options.Overhead)
}

// Observed reports whether observing costs the program something.
func (m *Computer) Observed() bool { return m.options.Overhead > 0 }

// Overhead returns the time so far in which the threads stood still for the observer.
func (m *Computer) Overhead() time.Duration { return m.overhead }

// record emits a record if a window is open, unless a fault loses it.
func (m *Computer) record(ev *epochs.Event) {
	r := &m.records
	if !r.open {
		return
	}
	r.ran = true
	r.rest.see(ev)
	if m.options.Faults.Loses(m.faulty) {
		if r.lost == 0 {
			r.lostAt = ev.At
		}
		r.lost++
		r.rest.until = 0
		m.tally.truth.Lost++
		return
	}
	m.reportLost(ev.At)
	m.emit(Event{Kind: Sched, At: ev.At, Sched: *ev})
}

// reportLost emits a Lost record for the records that were lost since the last one that was not.
func (m *Computer) reportLost(now units.Instant) {
	r := &m.records
	if r.lost == 0 {
		return
	}
	m.emit(Event{Kind: Sched, At: now, Sched: epochs.Event{Kind: epochs.Lost, At: now,
		From: r.lostAt, Count: r.lost, Thread: epochs.NoThread, By: epochs.NoThread}})
	r.lost = 0
}

func (m *Computer) recordFork(t *Thread, by epochs.TID) {
	m.record(&epochs.Event{Kind: epochs.Fork, At: m.instant(), Thread: t.id, By: by})
}

func (m *Computer) recordExit(t *Thread) {
	m.record(&epochs.Event{Kind: epochs.Exit, At: m.instant(),
		Thread: t.id, By: epochs.NoThread, CPU: int16(t.core.id)})
}

// recordPhase records that t begins or ends a collection.
func (m *Computer) recordPhase(t *Thread, what epochs.Cause) {
	m.tally.boundary(m.instant())
	if m.options.Exact {
		m.closeSlices()
	}
	ev := epochs.Event{Kind: epochs.Phase, Cause: what,
		At: m.instant(), Thread: t.id, By: epochs.NoThread}
	if t.core != nil {
		ev.CPU = int16(t.core.id)
	}
	m.record(&ev)
}

// recordOn records that c's thread has arrived.
func (m *Computer) recordOn(c *core) {
	t := c.t
	if t.role == other {
		return
	}
	now := m.instant()
	m.tally.boundary(now)
	if m.options.Exact {
		m.closeOthers(c)
	}
	m.openSlice(c, now)
	ev := epochs.Event{Kind: epochs.On, Cause: t.cause, At: now,
		Thread: t.id, By: epochs.NoThread, CPU: int16(c.id)}
	if t.cause == epochs.Woken {
		ev.By, ev.WokenAt = t.wokenBy, t.wokenAt
	}
	m.record(&ev)
}

// recordOff records that c's thread leaves.
func (m *Computer) recordOff(c *core, why epochs.Cause) {
	if !c.own() {
		return
	}
	now := m.instant()
	m.tally.boundary(now)
	if m.options.Exact {
		m.closeOthers(c)
	}
	ev := epochs.Event{Kind: epochs.Off, Cause: why, At: now, From: c.sliceFrom, Thread: c.t.id,
		By: epochs.NoThread, CPU: int16(c.id)}
	m.take(c, &ev)
	m.record(&ev)
}
