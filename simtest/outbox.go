package simtest

import (
	"io"

	"github.com/ebb-energy/ebb/epochs"
)

// outbox holds events until Next hands them out.
type outbox struct {
	events []Event // in order of time
	taken  int     // number of events that Next handed out, the first ones
	stops  int     // number of events not yet taken after which Next returns
}

func (o *outbox) put(ev Event) {
	o.events = append(o.events, ev)
	if ev.stops() {
		o.stops++
	}
}

// take fills buf up to and including the first event that stops.
func (o *outbox) take(buf []Event) (n int) {
	for n < len(buf) && o.taken < len(o.events) {
		ev := &o.events[o.taken]
		buf[n] = *ev
		n++
		o.taken++
		if ev.stops() {
			o.stops--
			break
		}
	}
	if o.taken == len(o.events) {
		o.events, o.taken = o.events[:0], 0
	}
	return n
}

// left returns the number of events not yet taken.
func (o *outbox) left() int { return len(o.events) - o.taken }

// discard drops all events, for runs that nobody observes.
func (o *outbox) discard() { o.events, o.taken, o.stops = o.events[:0], 0, 0 }

// stops reports whether the reader must see ev before anything else happens.
func (ev *Event) stops() bool {
	switch ev.Kind {
	case Sched:
		return ev.Sched.Kind == epochs.Tick
	case Begin, Clock, Sample, End:
		return true
	}
	return false
}

// Next fills buf with the next events, in the order of time. It returns early after Begin, a Sched
// event of kind Tick, a Clock and a Sample event, so a Request made on one of them takes place at
// its time. After End it returns io.EOF.
func (m *Computer) Next(buf []Event) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	for m.out.stops == 0 && m.out.left() < len(buf) && !m.ended {
		if err := m.step(); err != nil {
			m.failed = err
			m.Close()
		}
	}
	if n := m.out.take(buf); n > 0 {
		return n, nil
	}
	if m.failed != nil {
		return 0, m.failed
	}
	return 0, io.EOF
}

func (m *Computer) emit(ev Event) { m.out.put(ev) }
