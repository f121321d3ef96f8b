// Package simhost connects a simulated computer (package simtest) to the governor: it implements
// governor.Machine, so the core that governs a host governs the simulation, in virtual time.
package simhost

import (
	"context"
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// Rig is a simulated computer with a program on it, as a governor.Machine. It is for one goroutine.
type Rig struct {
	computer *simtest.Computer
	buf      []simtest.Event
	energy   energy

	begun bool            // the first event has been seen
	found units.Frequency // requested frequency at the first event
}

// New wraps c, of which no event may have been taken. Its Options must have the governor's quantum,
// hold-off and counters; Configure does the governor's side.
func New(c *simtest.Computer) *Rig { return &Rig{computer: c} }

// readings is the number of events that the meters of energy and memory add at a tick. The cost of
// observing is one more, where it costs something.
const readings = 2

// Next implements governor.Machine. It never blocks: if no event is due, virtual time advances.
func (r *Rig) Next(ctx context.Context, buf []governor.Event) (int, error) {
	added := readings
	if r.computer.Observed() {
		added++
	}
	if len(buf) <= added {
		return 0, fmt.Errorf("the simulated machine needs room for %d events: there is room for %d",
			added+1, len(buf))
	}
	if cap(r.buf) < len(buf) {
		r.buf = make([]simtest.Event, len(buf))
	}
	for {
		if err := ctx.Err(); err != nil {
			r.computer.Close()
			return 0, err
		}
		n, err := r.computer.Next(r.buf[:len(buf)-added])
		k := 0
		for i := range r.buf[:n] {
			k += r.translate(buf[k:], &r.buf[i])
		}
		if k > 0 || err != nil {
			return k, err
		}
	}
}

// translate puts ev into buf, after the readings of the meters if it is a tick, and returns how
// many events that makes.
func (r *Rig) translate(buf []governor.Event, ev *simtest.Event) (n int) {
	if r.energy.metered(r.computer, ev, &buf[n]) {
		n++
	}
	if traffic(r.computer, ev, &buf[n]) {
		n++
	}
	if overhead(r.computer, ev, &buf[n]) {
		n++
	}
	if convert(&buf[n], ev) {
		r.find(&buf[n])
		n++
	}
	return n
}

// isTick reports whether ev ends a quantum, when meters are read.
func isTick(ev *simtest.Event) bool {
	return ev.Kind == simtest.Sched && ev.Sched.Kind == epochs.Tick
}

// traffic returns the reading of the memory controllers' counters before a tick.
func traffic(c *simtest.Computer, ev *simtest.Event, to *governor.Event) bool {
	if !isTick(ev) {
		return false
	}
	u := c.Usage()
	*to = governor.Event{Kind: governor.Traffic, At: ev.Sched.At, Reads: uint64(u.DRAMReads),
		Writes: uint64(u.DRAMWrites)}
	return true
}

// overhead returns what observing has cost the program before a tick. All its threads stood still
// together, so that is their time, and not shared among them.
func overhead(c *simtest.Computer, ev *simtest.Event, to *governor.Event) bool {
	if !isTick(ev) || !c.Observed() {
		return false
	}
	*to = governor.Event{Kind: governor.Overhead, At: ev.Sched.At, Displaced: c.Overhead()}
	return true
}

// convert makes a governor's event of the computer's. It returns false for events that a governor
// does not get.
func convert(to *governor.Event, ev *simtest.Event) bool {
	switch ev.Kind {
	case simtest.Begin:
		*to = governor.Event{Kind: governor.Begin, At: ev.At, Frequency: ev.Frequency}
	case simtest.Sched:
		*to = governor.Event{Kind: governor.Sched, Sched: ev.Sched}
	case simtest.Clock:
		*to = governor.Event{Kind: governor.Applied, At: ev.At,
			Frequency: ev.Frequency, Refusal: ev.Refusal}
	case simtest.End:
		*to = governor.Event{Kind: governor.End, At: ev.At}
	default:
		return false
	}
	return true
}

// Apply implements governor.Machine.
func (r *Rig) Apply(a governor.Action) error {
	switch a.Kind {
	case governor.Insist:
		r.computer.Request(a.By)
		r.computer.Request(a.Frequency)
	case governor.SetFrequency:
		r.computer.Request(a.Frequency)
	case governor.Rest:
		r.rest(a.Rest)
	}
	return nil
}
