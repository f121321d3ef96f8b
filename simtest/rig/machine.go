// Package rig is a simulated machine (package simtest) as a governor.Machine: the same core that
// governs a host governs it, in virtual time.
package rig

import (
	"context"
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// Machine is a simulated machine with a program on it. It is for one goroutine.
type Machine struct {
	machine *simtest.Machine
	buf     []simtest.Event
	energy  energy

	begun bool
	found units.Frequency // the control's, at the first event
}

// NewMachine wraps m, of which no event may have been taken. Its Options must have the governor's
// quantum, hold-off and counters; Configure does the governor's side.
func NewMachine(m *simtest.Machine) *Machine { return &Machine{machine: m} }

// Simulated is the machine itself, for what no governor can know of it.
func (m *Machine) Simulated() *simtest.Machine { return m.machine }

// Next implements governor.Machine. It never blocks: when nothing is there, time goes on.
func (m *Machine) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if len(buf) < 3 {
		return 0, fmt.Errorf(
			"take the simulated machine's events into room for %d: at least 3 are needed", len(buf),
		)
	}
	if cap(m.buf) < len(buf) {
		m.buf = make([]simtest.Event, len(buf))
	}
	for {
		if err := ctx.Err(); err != nil {
			m.machine.Close()
			return 0, err
		}
		// two places are for what the meters of energy and memory show at a tick
		n, err := m.machine.Next(m.buf[:len(buf)-2])
		k := 0
		for i := range m.buf[:n] {
			if m.energy.metered(m.machine, &m.buf[i], &buf[k]) {
				k++
			}
			if traffic(m.machine, &m.buf[i], &buf[k]) {
				k++
			}
			if convert(&buf[k], &m.buf[i]) {
				m.find(&buf[k])
				k++
			}
		}
		if k > 0 || err != nil {
			return k, err
		}
	}
}

// traffic is what the memory controllers' counters show before a tick.
func traffic(m *simtest.Machine, ev *simtest.Event, to *governor.Event) bool {
	if ev.Kind != simtest.Sched || ev.Sched.Kind != epochs.Tick {
		return false
	}
	u := m.Usage()
	*to = governor.Event{Kind: governor.Traffic, At: ev.Sched.At, Reads: uint64(u.DRAMReads),
		Writes: uint64(u.DRAMWrites)}
	return true
}

// convert makes a governor's event of a machine's; it returns false for what a governor does not
// get.
func convert(to *governor.Event, ev *simtest.Event) bool {
	switch ev.Kind {
	case simtest.Begin:
		*to = governor.Event{Kind: governor.Begin, At: ev.At, Frequency: ev.Frequency}
	case simtest.Sched:
		*to = governor.Event{Kind: governor.Sched, Sched: ev.Sched}
	case simtest.Clock:
		*to = governor.Event{Kind: governor.Applied, At: ev.At, Frequency: ev.Frequency,
			Refusal: ev.Refusal}
	case simtest.End:
		*to = governor.Event{Kind: governor.End, At: ev.At}
	default:
		return false
	}
	return true
}

// Apply implements governor.Machine.
func (m *Machine) Apply(a governor.Action) error {
	switch a.Kind {
	case governor.Insist:
		m.machine.Request(a.By)
		m.machine.Request(a.Frequency)
	case governor.SetFrequency:
		m.machine.Request(a.Frequency)
	}
	return nil
}
