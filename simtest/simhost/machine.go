package simhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Program is a tenant's program on cores of its own.
type Program struct {
	Tenant   arbiter.Tenant
	Domain   arbiter.Domain
	Computer *simtest.Computer
	From     time.Duration // time at which it comes, a multiple of the quantum
}

// Machine is a machine with several tenants, as a governor.Machine: a computer for each tenant, in
// step with the others. The computers of a domain share its clock: a request reaches each of them.
// They share nothing else: no core, no cache and no memory, so each tenant's slowdown is known
// exactly. It is for one goroutine.
type Machine struct {
	programs []*program
	clock    []units.Frequency // newest request by domain; 0 before
	due      []governor.Event  // events to be handed out
}

// program is a Program and what it has done that is not merged yet.
type program struct {
	Program
	rig   *Rig
	first int16            // number of its first core on the machine
	heads []governor.Event // events, the earliest first
	read  [4]governor.Event
	meter governor.Event // latest reading
	begun bool
	ended bool
}

// NewMachine joins programs. Their computers have as many cores as one can have, so that cores have
// numbers of their own; Domains says whose domain each is.
func NewMachine(programs []Program) *Machine {
	m := &Machine{}
	for i, p := range programs {
		m.programs = append(m.programs, &program{Program: p, rig: New(p.Computer),
			first: int16(i * hardware.MaxCores)})
		for int(p.Domain) >= len(m.clock) {
			m.clock = append(m.clock, 0)
		}
	}
	return m
}

// Domains returns the frequency domain of each core.
func (m *Machine) Domains() (all []arbiter.Domain) {
	for _, p := range m.programs {
		for range hardware.MaxCores {
			all = append(all, p.Domain)
		}
	}
	return all
}

// Next implements governor.Machine. Records come with the next tick of any tenant, as on a host
// whose reader sleeps until the end of a quantum.
func (m *Machine) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for len(m.due) == 0 || !delivers(&m.due[len(m.due)-1]) {
		ev, err := m.earliest(ctx)
		if errors.Is(err, io.EOF) && len(m.due) > 0 {
			break
		}
		if err != nil {
			return 0, err
		}
		m.due = append(m.due, ev)
	}
	n := copy(buf, m.due)
	m.due = append(m.due[:0], m.due[n:]...)
	return n, nil
}

// delivers reports whether what happened until ev is handed out with it.
func delivers(ev *governor.Event) bool {
	return ev.Kind != governor.Sched && ev.Kind != governor.Metered &&
		ev.Kind != governor.Traffic && ev.Kind != governor.Overhead || ev.Sched.Kind == epochs.Tick
}

// earliest takes the earliest event of all programs, io.EOF when there is none.
func (m *Machine) earliest(ctx context.Context) (governor.Event, error) {
	var from *program
	for _, p := range m.programs {
		if err := p.peek(ctx); err != nil {
			return governor.Event{}, fmt.Errorf("tenant %d: %w", p.Tenant, err)
		}
		if len(p.heads) > 0 && (from == nil || at(&p.heads[0]) < at(&from.heads[0])) {
			from = p
		}
	}
	if from == nil {
		return governor.Event{}, io.EOF
	}
	ev := from.heads[0]
	from.heads = from.heads[1:]
	switch {
	case ev.Kind == governor.Begin:
		from.begun = true
		if f := m.clock[from.Domain]; f != 0 {
			from.Computer.Request(f) // the domain already has that clock
		}
	case ev.Kind == governor.Metered:
		from.meter = ev
		ev = m.metered(ev.At)
	}
	return ev, nil
}

func at(ev *governor.Event) units.Instant { return max(ev.At, ev.Sched.At) }

// metered returns the whole machine's energy.
func (m *Machine) metered(at units.Instant) governor.Event {
	sum := governor.Event{Kind: governor.Metered, At: at}
	for _, p := range m.programs {
		sum.Package += p.meter.Package
		sum.Cores += p.meter.Cores
		sum.DRAM += p.meter.DRAM
	}
	return sum
}

// peek sees to it that the program's next events are known.
func (p *program) peek(ctx context.Context) error {
	if len(p.heads) > 0 || p.ended {
		return nil
	}
	room := readings + 1
	if p.Computer.Observed() {
		room++
	}
	n, err := p.rig.Next(ctx, p.read[:room])
	if errors.Is(err, io.EOF) {
		p.ended = true
	} else if err != nil {
		return err
	}
	p.heads = p.read[:n]
	for i := range p.heads {
		p.own(&p.heads[i])
	}
	return nil
}

// own puts the program's number into an event, and the machine's time and cores.
func (p *program) own(ev *governor.Event) {
	ev.Tenant, ev.Domain = p.Tenant, p.Domain
	s := &ev.Sched
	for _, t := range []*units.Instant{&ev.At, &s.At, &s.From, &s.WokenAt} {
		if *t != 0 {
			*t = t.Add(p.From)
		}
	}
	if ev.Kind == governor.Sched {
		s.Tenant = uint16(p.Tenant)
		s.CPU += p.first
	}
}

// Apply implements governor.Machine.
func (m *Machine) Apply(a governor.Action) error {
	switch a.Kind {
	case governor.SetFrequency, governor.Insist:
		m.clock[a.Domain] = a.Frequency
	}
	for _, p := range m.programs {
		if p.ended || !p.begun {
			continue
		}
		if (a.Kind == governor.SetFrequency || a.Kind == governor.Insist) && a.Domain != p.Domain ||
			a.Kind == governor.Rest && a.Tenant != p.Tenant {
			continue
		}
		if a.Kind == governor.Rest {
			a.Rest.From, a.Rest.Until = a.Rest.From.Add(-p.From), a.Rest.Until.Add(-p.From)
		}
		if err := p.rig.Apply(a); err != nil {
			return err
		}
	}
	return nil
}
