package simtest

import (
	"io"

	"github.com/ebb-energy/ebb/epochs"
)

// Next fills buf with the next events, in the order of time. It returns early after Begin, a Sched
// event of kind Tick, a Clock and a Sample event, so that a Request made on it takes place at its
// time. After End it returns io.EOF.
func (m *Computer) Next(buf []Event) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	for m.stops == 0 && len(m.out)-m.outAt < len(buf) && !m.ended {
		if err := m.step(); err != nil {
			m.failed = err
			m.Close()
		}
	}
	n := 0
	for n < len(buf) && m.outAt < len(m.out) {
		ev := &m.out[m.outAt]
		buf[n] = *ev
		n++
		m.outAt++
		if ev.stops() {
			m.stops--
			break
		}
	}
	if m.outAt == len(m.out) {
		m.out, m.outAt = m.out[:0], 0
	}
	if n == 0 {
		if m.failed != nil {
			return 0, m.failed
		}
		return 0, io.EOF
	}
	return n, nil
}

// stops says whether nothing may happen before ev has been seen.
func (ev *Event) stops() bool {
	switch ev.Kind {
	case Sched:
		return ev.Sched.Kind == epochs.Tick
	case Begin, Clock, Sample, End:
		return true
	}
	return false
}

func (m *Computer) emit(ev Event) {
	m.out = append(m.out, ev)
	if ev.stops() {
		m.stops++
	}
}
