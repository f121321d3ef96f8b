package simtest

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// tally is the account behind Truth and Usage.
type tally struct {
	truth        Truth   // counts; the fields below and Computer.Truth fill in the rest
	ghz          float64 // frequency of the clock, GHz
	instructions float64
	work         float64
	l3           float64 // accesses
	reads        float64 // lines
	writes       float64 // lines
	computing    ps      // time with a busy core
	states       []Residence
	state        int           // index of the present state in states; -1 before the first
	since        units.Instant // begin of the present state
	lastEpoch    units.Instant // end of the latest epoch
	nextPoint    float64       // work of the next point of progress; 0 for none
	usage        Usage         // kept for its slices
}

func (t *tally) init(m *Computer) {
	t.since, t.lastEpoch = Beginning, Beginning
	for _, f := range m.profile.States {
		t.states = append(t.states, Residence{Frequency: f})
	}
	t.state = -1
	t.nextPoint = float64(m.options.Progress)
	t.usage.Busy = make([]time.Duration, len(m.cores))
	t.usage.Cycles = make([]float64, len(m.cores))
}

// clockChanges ends the stay at one frequency and begins one at another.
func (t *tally) clockChanges(m *Computer, f units.Frequency) {
	now := m.instant()
	if t.state >= 0 {
		t.states[t.state].Time += now.Sub(t.since)
		for _, c := range m.cores {
			if c.t != nil {
				t.states[t.state].Busy += now.Sub(c.since)
				c.busy += now - c.since
				c.since = now
			}
		}
	}
	t.since = now
	t.state, _ = slices.BinarySearchFunc(t.states, f,
		func(r Residence, f units.Frequency) int { return int(r.Frequency - f) })
}

// busyAt adds to the cores' busy time at the present frequency.
func (m *Computer) busyAt(d time.Duration) { m.tally.states[m.tally.state].Busy += d }

func (t *tally) busySoFar(m *Computer) time.Duration {
	now := m.instant()
	var d units.Instant
	for _, c := range m.cores {
		d += c.busy
		if c.t != nil {
			d += now - c.since
		}
	}
	return time.Duration(d)
}

// boundary counts an epoch that ends now, if it has a length.
func (t *tally) boundary(now units.Instant) {
	if now > t.lastEpoch {
		t.truth.Epochs++
		t.lastEpoch = now
	}
}

// crossing returns the time of the next point of progress at the present rates.
func (t *tally) crossing(m *Computer) ps {
	if t.nextPoint <= 0 {
		return never
	}
	return m.reaches(t.nextPoint)
}

// reaches returns the time by which the present rates complete this much work, at least a ps from
// now.
func (m *Computer) reaches(work float64) ps {
	if m.clock.halted {
		return never
	}
	var rate float64
	for _, c := range m.cores {
		if c.t != nil {
			rate += c.rate.work
		}
	}
	if rate <= 0 {
		return never
	}
	return m.now + nsToPS(max(work-m.tally.work, 0)/rate)
}

// cross notes a point of progress if it has been reached.
func (t *tally) cross(m *Computer) {
	if t.nextPoint <= 0 || t.work < t.nextPoint*(1-1e-12) {
		return
	}
	t.truth.Progress = append(t.truth.Progress,
		Progress{Work: int64(t.nextPoint + 0.5),
			At: m.instant().Sub(Beginning), Energy: m.meter.Sum()})
	t.nextPoint += float64(m.options.Progress)
}

// Usage returns the usage so far. Its slices are valid until the next call.
func (m *Computer) Usage() Usage {
	u := &m.tally.usage
	now := m.instant()
	u.At, u.Frequency = now, m.clock.f
	u.Instructions = int64(m.tally.instructions)
	u.DRAMReads, u.DRAMWrites = int64(m.tally.reads), int64(m.tally.writes)
	for i, c := range m.cores {
		busy := c.busy
		if c.t != nil {
			busy += now - c.since
		}
		u.Busy[i], u.Cycles[i] = time.Duration(busy), c.cycles
	}
	return *u
}

// finish ends the program: its last application thread has ended.
func (m *Computer) finish() {
	now := m.instant()
	m.tally.clockChanges(m, m.clock.f)
	for _, c := range m.cores {
		if c.t == nil {
			continue
		}
		if c.own() {
			m.recordExit(c.t)
		}
		m.leaveCore(c, epochs.Exited)
	}
	m.tally.boundary(now)
	for _, t := range m.threads {
		if t.state != ended {
			t.enterState(ended, now)
			t.truth.End = now
		}
	}
	if m.records.open {
		m.reportLost(now)
	}
	if m.options.Progress > 0 {
		m.tally.truth.Progress = append(m.tally.truth.Progress,
			Progress{Work: m.work(), At: m.instant().Sub(Beginning), Energy: m.meter.Sum()})
	}
	m.emit(Event{Kind: End, At: now})
	m.Close()
}
