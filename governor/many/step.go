package many

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// Step takes one event and appends the actions that follow from it to out.
func (m *Governors) Step(ev *governor.Event, out []governor.Action) []governor.Action {
	m.out, m.settled = out, ev.Kind == governor.Sched
	m.now = max(m.now, ev.At, ev.Sched.At)
	switch ev.Kind {
	case governor.Begin:
		m.begin(ev)
	case governor.Sched:
		m.sched(ev)
	case governor.Applied:
		m.apply(ev)
	case governor.Metered:
		m.ledger.metered(ev)
		if m.present == 1 {
			m.all(0, ev)
		}
	case governor.End:
		m.end(ev)
	default:
		m.all(ev.Tenant, ev)
	}
	if !m.settled {
		m.settle()
	}
	out, m.out = m.out, nil
	return out
}

// all hands an event to the cores that it concerns.
func (m *Governors) all(t arbiter.Tenant, ev *governor.Event) {
	for _, c := range m.cores {
		if c.concerned(t) {
			m.hand(c, ev)
		}
	}
}

// answer hands an event that answers its request to a core.
func (m *Governors) answer(c *core, ev *governor.Event) {
	c.waits = false
	if ev.Kind == governor.Applied {
		c.believed = ev.Frequency
	}
	m.hand(c, ev)
}

// hand hands an event to a core and takes the actions that follow.
func (m *Governors) hand(c *core, ev *governor.Event) {
	failed := c.failed
	for _, a := range c.step(ev) {
		m.take(c, a)
	}
	if c.failed != nil && failed == nil {
		m.wish(c, c.highest())
	}
}

// take handles a core's action.
func (m *Governors) take(c *core, a governor.Action) {
	a.Tenant, m.settled = c.number, false
	switch a.Kind {
	case governor.SetFrequency:
		c.waits = true
		m.wish(c, a.Frequency)
	case governor.Insist:
		m.insist(c, &a)
	case governor.Decided:
		c.slowdowns.enter(&a.Quantum)
		m.ledger.impose(c)
		m.out = append(m.out, a)
	default:
		m.out = append(m.out, a)
	}
}

// wish enters the clock that a core asks for. A single tenant's request is emitted at once, in its
// place among the actions; those of several tenants are weighed when all have asked. Where the
// machine has refused a request that is already as high, the request is repeated, since until then
// it was another tenant's.
func (m *Governors) wish(c *core, f units.Frequency) {
	c.wish, m.settled = f, false
	for d := range m.size {
		m.arbiter.Wish(arbiter.Wish{Tenant: c.number, Domain: arbiter.Domain(d), Frequency: f})
		if c.short[d] && f > c.applied[d] && m.runsOn(c, d) {
			m.arbiter.Again(arbiter.Domain(d))
		}
	}
	if m.present == 1 {
		m.request()
	}
}

// insist repeats a core's request where it is in force.
func (m *Governors) insist(c *core, a *governor.Action) {
	for d := range m.size {
		a.Domain = arbiter.Domain(d)
		if m.arbiter.Counts(c.number, a.Domain) &&
			m.arbiter.At(a.Domain).Frequency == a.Frequency {
			m.out = append(m.out, *a)
		}
	}
}

// repeatFailed repeats a request that the machine refused where a failed core's wish counts, as a
// core does by itself.
func (m *Governors) repeatFailed() {
	for _, c := range m.cores {
		if c.failed == nil || !c.present {
			continue
		}
		for d, short := range c.short {
			if short && m.arbiter.Counts(c.number, arbiter.Domain(d)) {
				m.arbiter.Again(arbiter.Domain(d))
			}
		}
	}
}

// request emits the requests that follow from the wishes.
func (m *Governors) request() {
	m.requests = m.arbiter.Step(m.requests[:0])
	for _, r := range m.requests {
		for _, c := range m.cores {
			c.due[r.Domain] = c.present
		}
		m.out = append(m.out, governor.Action{Kind: governor.SetFrequency, Frequency: r.Frequency,
			Domain: r.Domain, Tenant: r.By})
	}
}

// begin handles a tenant's Begin.
func (m *Governors) begin(ev *governor.Event) {
	c := m.find(ev.Tenant)
	if c == nil || c.present {
		return
	}
	c.begin()
	m.present++
	m.arbiter.Join(c.number, ev.At)
	c.believed = ev.Frequency
	m.hand(c, ev)
	if c.failed != nil && c.wish == 0 {
		m.wish(c, c.highest())
	}
}

// end handles an End, of one tenant or of all.
func (m *Governors) end(ev *governor.Event) {
	for _, c := range m.cores {
		if !c.concerned(ev.Tenant) {
			continue
		}
		m.hand(c, ev)
		c.end()
		m.present--
		m.arbiter.Leave(c.number)
	}
	m.dropLeaving()
}

// sched passes a record to its tenant's core. It drops the record of a tenant that is not present.
func (m *Governors) sched(ev *governor.Event) {
	s := &ev.Sched
	t := arbiter.Tenant(s.Tenant)
	switch s.Kind {
	case epochs.Tick:
		m.arbiter.Pass()
		m.settled = false
		m.all(t, ev)
		m.repeatFailed()
		return
	case epochs.Lost:
		m.all(t, ev)
		return
	case epochs.On, epochs.Off, epochs.Slice:
		if m.arbiter.Ran(t, m.domain(s.CPU), s.At) {
			m.settled = false
		}
	}
	if c := m.find(t); c != nil && c.present {
		m.hand(c, ev)
	}
}

// domain returns a CPU's frequency domain.
func (m *Governors) domain(cpu int16) arbiter.Domain {
	if cpu < 0 || int(cpu) >= len(m.domains) {
		return 0
	}
	return m.domains[cpu]
}

// apply hands the outcome of a request to the cores that run on the domain. A refusal concerns
// those whose wish is not met, and whose wish the request is: where a lower clock was refused, the
// clock is above that.
func (m *Governors) apply(ev *governor.Event) {
	if int(ev.Domain) >= m.size {
		return
	}
	for _, c := range m.cores {
		if ev.Tenant != 0 && c.number != ev.Tenant {
			continue
		}
		c.applied[ev.Domain], c.due[ev.Domain] = ev.Frequency, false
		c.short[ev.Domain] = ev.Frequency < m.arbiter.At(ev.Domain).Frequency
		if !c.present || !m.runsOn(c, int(ev.Domain)) {
			continue
		}
		to := *ev
		to.Frequency = m.delivered(c)
		if m.present > 1 && to.Frequency >= c.wish && c.wish < m.arbiter.At(ev.Domain).Frequency {
			to.Refusal = ""
		}
		m.answer(c, &to)
	}
}
