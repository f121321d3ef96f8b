package many

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// Step takes one event and appends the actions that follow from it to out.
func (g *Governors) Step(ev *governor.Event, out []governor.Action) []governor.Action {
	g.out, g.quiet = out, true
	g.now = max(g.now, ev.At, ev.Sched.At)
	switch ev.Kind {
	case governor.Begin:
		g.quiet = false
		g.begin(ev)
	case governor.Sched:
		g.sched(ev)
	case governor.Applied:
		g.quiet = false
		g.apply(ev)
	case governor.Metered:
		g.energies.metered(ev)
		if g.present == 1 {
			g.all(0, ev)
		}
	case governor.End:
		g.quiet = false
		g.end(ev)
	default:
		g.all(ev.Tenant, ev)
	}
	if !g.quiet || !g.settled && ev.Kind != governor.Sched {
		g.quiet = true
		g.finishStep()
		g.settled = g.quiet
	}
	out, g.out = g.out, nil
	return out
}

// all hands an event to the cores that it concerns.
func (g *Governors) all(t arbiter.Tenant, ev *governor.Event) {
	if t != 0 {
		if c := g.find(t); c != nil && c.present {
			g.hand(c, ev)
		}
		return
	}
	for _, c := range g.cores {
		if c.present {
			g.hand(c, ev)
		}
	}
}

// answer hands an event that answers its request to a core.
func (g *Governors) answer(c *core, ev *governor.Event) {
	c.waits = false
	if ev.Kind == governor.Applied {
		c.believed = ev.Frequency
	}
	g.hand(c, ev)
}

// hand hands an event to a core and takes the actions that follow.
func (g *Governors) hand(c *core, ev *governor.Event) {
	failed := c.failed
	for _, a := range c.step(ev) {
		g.take(c, a)
	}
	if c.failed != nil && failed == nil {
		g.wish(c, c.highest())
	}
}

// take handles a core's action.
func (g *Governors) take(c *core, a governor.Action) {
	a.Tenant, g.quiet = c.number, false
	switch a.Kind {
	case governor.SetFrequency:
		c.waits = true
		g.wish(c, a.Frequency)
	case governor.Insist:
		g.insist(c, &a)
	case governor.Decided:
		c.slowdowns.enter(&a.Quantum)
		g.energies.impose(c)
		g.out = append(g.out, a)
	default:
		g.out = append(g.out, a)
	}
}

// wish enters the clock that a core asks for. A single tenant's request is emitted at once, in its
// place among the actions; those of several tenants are weighed when all have asked. Where the
// machine has refused a request that is already as high, the request is repeated, since until then
// it was another tenant's.
func (g *Governors) wish(c *core, f units.Frequency) {
	c.wish, g.quiet = f, false
	for d := range g.size {
		g.arbiter.Wish(arbiter.Wish{Tenant: c.number, Domain: arbiter.Domain(d), Frequency: f})
		if c.short[d] && f > c.applied[d] && g.runsOn(c, d) {
			g.arbiter.Again(arbiter.Domain(d))
		}
	}
	if g.present == 1 {
		g.request()
	}
}

// insist repeats a core's request where it is in force.
func (g *Governors) insist(c *core, a *governor.Action) {
	for d := range g.size {
		a.Domain = arbiter.Domain(d)
		if g.arbiter.Counts(c.number, a.Domain) &&
			g.arbiter.At(a.Domain).Frequency == a.Frequency {
			g.out = append(g.out, *a)
		}
	}
}

// repeatFailed repeats a request that the machine refused where a failed core's wish counts, as a
// core does by itself.
func (g *Governors) repeatFailed() {
	for _, c := range g.cores {
		if c.failed == nil || !c.present {
			continue
		}
		for d, short := range c.short {
			if short && g.arbiter.Counts(c.number, arbiter.Domain(d)) {
				g.arbiter.Again(arbiter.Domain(d))
			}
		}
	}
}

// request emits the requests that follow from the wishes.
func (g *Governors) request() {
	g.requests = g.arbiter.Step(g.requests[:0])
	for _, r := range g.requests {
		for _, c := range g.cores {
			c.due[r.Domain] = c.present
		}
		g.out = append(g.out, governor.Action{Kind: governor.SetFrequency, Frequency: r.Frequency,
			Domain: r.Domain, Tenant: r.By})
	}
}

// begin handles a tenant's Begin.
func (g *Governors) begin(ev *governor.Event) {
	c := g.find(ev.Tenant)
	if c == nil || c.present {
		return
	}
	c.begin()
	g.present++
	g.arbiter.Join(c.number, ev.At)
	c.believed = ev.Frequency
	g.hand(c, ev)
	if c.failed != nil && c.wish == 0 {
		g.wish(c, c.highest())
	}
}

// end handles an End, of one tenant or of all.
func (g *Governors) end(ev *governor.Event) {
	for _, c := range g.cores {
		if !c.concerned(ev.Tenant) {
			continue
		}
		g.hand(c, ev)
		c.end()
		g.present--
		g.arbiter.Leave(c.number)
	}
	g.dropLeaving()
}

// sched passes a record to its tenant's core. It drops the record of a tenant that is not present.
func (g *Governors) sched(ev *governor.Event) {
	s := &ev.Sched
	t := arbiter.Tenant(s.Tenant)
	switch s.Kind {
	case epochs.Tick:
		g.arbiter.Pass()
		g.quiet = false
		g.all(t, ev)
		g.repeatFailed()
		return
	case epochs.Lost:
		g.all(t, ev)
		return
	case epochs.On, epochs.Off, epochs.Slice:
		g.settled = false
		if g.arbiter.Ran(t, g.domain(s.CPU), s.At) {
			g.quiet = false
		}
	}
	if c := g.find(t); c != nil && c.present {
		g.hand(c, ev)
	}
}

// domain returns a CPU's frequency domain.
func (g *Governors) domain(cpu int16) arbiter.Domain {
	if cpu < 0 || int(cpu) >= len(g.domains) {
		return 0
	}
	return g.domains[cpu]
}

// apply hands the outcome of a request to the cores that run on the domain. A refusal concerns
// those whose wish is not met, and whose wish the request is: where a lower clock was refused, the
// clock is above that.
func (g *Governors) apply(ev *governor.Event) {
	if int(ev.Domain) >= g.size {
		return
	}
	for _, c := range g.cores {
		if ev.Tenant != 0 && c.number != ev.Tenant {
			continue
		}
		c.applied[ev.Domain], c.due[ev.Domain] = ev.Frequency, false
		c.short[ev.Domain] = ev.Frequency < g.arbiter.At(ev.Domain).Frequency
		if !c.present || !g.runsOn(c, int(ev.Domain)) {
			continue
		}
		to := *ev
		to.Frequency = g.delivered(c)
		if g.present > 1 && to.Frequency >= c.wish && c.wish < g.arbiter.At(ev.Domain).Frequency {
			to.Refusal = ""
		}
		g.answer(c, &to)
	}
}
