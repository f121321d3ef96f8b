package simtest

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Work is the program's activity in a time, as the tracer counts it.
type Work struct {
	Time     time.Duration
	Run      time.Duration // running time of all its threads
	Switches uint64        // number of times that a thread left a core
	Counters [epochs.MaxCounters]uint64
}

// rest is a time in which the tracer rings nobody while the program does the same.
type rest struct {
	until units.Instant // 0: there is none
	same  func(*Work) bool
	work  Work          // work since from
	from  units.Instant // the latest end of a quantum in which something ran, or the start
}

// Rest lets the tracer give no tick until the end of the quantum at until, as long as same holds
// for what the program did from the end of a quantum to that of a later one. It is asked at each
// end at which something ran since the last one. A record that is lost ends the rest as well. Where
// a quantum has ended since from, it is too late for a rest. Rest is for runs without a hold-off.
func (m *Computer) Rest(from, until units.Instant, same func(*Work) bool) {
	r := &m.records
	if m.instant() < from+r.quantum {
		r.rest.until, r.rest.same = until, same
	}
}

// CounterNames returns the counters of each slice, in order.
func (m *Computer) CounterNames() []string { return m.options.Counters }

// see counts a record.
func (r *rest) see(ev *epochs.Event) {
	switch ev.Kind {
	case epochs.Off:
		r.work.Switches++
	case epochs.Slice:
	default:
		return
	}
	r.work.Run += ev.At.Sub(ev.From)
	for i, c := range ev.Counters {
		r.work.Counters[i] += c
	}
}

// goesOn reports whether the end of a quantum passes in silence.
func (r *rest) goesOn(now units.Instant) bool {
	w := r.work
	w.Time = now.Sub(r.from)
	if w.Run > 0 || w.Switches > 0 {
		r.work, r.from = Work{}, now
	}
	if r.until == 0 {
		return false
	}
	if now < r.until && (w.Run == 0 && w.Switches == 0 || r.same(&w)) {
		return true
	}
	r.until = 0
	return false
}
