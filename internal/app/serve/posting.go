package serve

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

const (
	// postPeriod is the time between two writings of changes. A later tick, as while all sleep,
	// writes them later.
	postPeriod = 250 * time.Millisecond
	// mostPosted bounds the tenants that one tick writes.
	mostPosted = 64
	// meterPosted is the shortest time between two writings of meters' energies. Other programs'
	// secrets could be guessed from finer ones.
	meterPosted = time.Second
)

// posting writes the tenants' figures on a service's board. The loop that governs calls it, so it
// costs no more than its own records: no system call and no waiting.
type posting struct {
	part.Passive
	w      *board.Writer
	run    *run.Several
	of     *service
	meters *meters.Meters
	cycles int // index of the counter of cycles in a slice; below 0: none is counted
	// modelled says that the energies are known that clocks have cost and saved tenants.
	modelled bool
	posted   units.Instant
	metered  units.Instant
}

// openPosting opens the writing on the service's board, if it has one.
func (s *service) openPosting(r *run.Several, m *meters.Meters) {
	if s.Board == nil {
		return
	}
	p := &posting{w: s.Board, run: r, of: s, meters: m,
		cycles: slices.Index(r.Counted.Names, hpc.Cycles)}
	p.modelled = m.Counted() && r.Actuator.Name() != cpufreq.Shadow && r.Settings.Named()
	r.Use(part.Totals, p)
}

func (p *posting) Started() error {
	s := p.w.Service()
	s.State, s.Shadow = board.Governing, p.run.Actuator.Name() == cpufreq.Shadow
	s.Rest = string(p.of.settings.Tenants.Rest)
	// Taking control has put back the clocks that a dead ebb had left.
	s.Pending, s.PendingKnown = false, true
	states := p.run.States()
	s.Lowest, s.Highest = states[0], states[len(states)-1]
	list := p.of.settings.Tenants.Tenants.Tenants
	for i := range list {
		c := p.run.TenantConfig(arbiter.Tenant(i+1), &list[i])
		p.of.sit(list[i].Name, &c)
	}
	p.w.Say(monotonic.Now())
	return nil
}

func (p *posting) Observer() governor.Observer { return p }

// Observe implements governor.Observer.
func (p *posting) Observe(ev *governor.Event, actions []governor.Action) {
	at := max(ev.At, ev.Sched.At)
	switch ev.Kind {
	case governor.Sched:
		p.sched(&ev.Sched)
	case governor.Begin, governor.End:
		if t := p.w.Tenant(ev.Tenant); t != nil {
			if t.Present = ev.Kind == governor.Begin; t.Present {
				t.Begins++
			}
			p.posted = 0 // the next tick writes it
		}
	case governor.Applied:
		if d := p.w.Domain(ev.Domain); d != nil {
			d.Reported, d.Refused = ev.Frequency, ev.Refusal != ""
		}
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case governor.SetFrequency:
			p.asked(a, at)
		case governor.Decided:
			p.decided(a.Tenant, &a.Quantum, at)
		}
	}
	if ev.Kind == governor.Sched && ev.Sched.Kind == epochs.Tick && at.Sub(p.posted) >= postPeriod {
		p.post(at)
	}
}

// sched adds a slice to its domain.
func (p *posting) sched(ev *epochs.Event) {
	if ev.Kind != epochs.Off && ev.Kind != epochs.Slice || ev.From == 0 || ev.At <= ev.From ||
		ev.Tenant == 0 || arbiter.Tenant(ev.Tenant) == p.run.RestNumber() {
		return
	}
	d := p.w.Domain(0)
	d.Busy += ev.At.Sub(ev.Began())
	if p.cycles >= 0 {
		d.Cycles, d.Counted = d.Cycles+ev.Counters[p.cycles], true
	}
}

// asked takes over a request for a clock.
func (p *posting) asked(a *governor.Action, at units.Instant) {
	d := p.w.Domain(a.Domain)
	if d == nil {
		return
	}
	d.Asked, d.At, d.By, d.Reason = a.Frequency, at, "rest", ""
	if t := p.w.Tenant(a.Tenant); t != nil {
		d.By, d.Reason = t.Name, t.Reason
	}
}

// decided adds a quantum.
func (p *posting) decided(n arbiter.Tenant, q *governor.Quantum, at units.Instant) {
	t := p.w.Tenant(n)
	if t == nil {
		return
	}
	s := p.w.Service()
	result := board.Decided
	switch {
	case q.Stale:
		result = board.Late
	case q.Hole:
		result = board.Hole
	case q.Chosen == 0:
		result = board.Undecided
	}
	s.Quanta[result]++
	t.Quanta[result]++
	s.Lost += q.Lost
	end := q.Start.Add(q.Dur)
	t.At = max(t.At, end)
	t.Busy += q.Busy
	t.Got = q.Effective
	if q.Chosen != 0 {
		t.Wish, t.Reason = q.Chosen, string(q.Reason)
	}
	of := board.Account{Took: q.AtEffective, Highest: q.Max}
	if q.AtHighest != 0 {
		of.Highest = q.AtHighest // time by which the budget is kept
	}
	p.w.Ran(n, of)
	p.w.Decide(&board.Decision{Tenant: t.Name, At: end, Took: q.Dur, Busy: q.Busy,
		Delivered: q.Delivered, Effective: q.Effective, Chosen: q.Chosen, Ran: of.Took,
		Highest: of.Highest, Slack: q.Slack, Reason: string(q.Reason), Result: result,
		Lost: q.Lost, Late: at.Sub(end)})
}

// post writes what has changed.
func (p *posting) post(at units.Instant) {
	p.posted = at
	if read, _ := p.meters.Newest(); len(read) > 0 && at.Sub(p.metered) >= meterPosted {
		p.metered = at
		p.meter()
	}
	p.w.Flush(mostPosted, p.complete)
	p.w.StoreDomains()
	p.w.Say(at)
}

// complete fills in the governors' figures of a tenant.
func (p *posting) complete(n arbiter.Tenant, t *board.Tenant) {
	if s := p.run.Cores().Slowdowns(n); s != nil {
		t.Short, t.Long = board.Account(s.Short.Now()), board.Account(s.Long.Now())
	}
	t.Failed = p.run.Cores().Failed(n) != nil
}

// meter writes the meters' energies, and what clocks have cost and saved tenants.
func (p *posting) meter() {
	read, last := p.meters.Newest()
	for i := range read {
		if r := &read[i]; r.Err == nil && !r.Frozen {
			p.w.Meter(r.Zone.Name(), string(r.Zone.Kind), string(r.Zone.Source), r.Energy,
				last)
		}
	}
	if p.modelled {
		e := p.run.Cores().Energy()
		for i := range e.Tenants {
			p.w.Imposed(e.Tenants[i].Tenant, e.Tenants[i].Borne, e.Tenants[i].Caused)
			p.w.Saved(e.Tenants[i].Tenant, e.Tenants[i].Saved)
		}
	}
}

// sit makes a tenant one of the set on the board, if there is a board.
func (s *serving) sit(name string, t *many.Tenant) {
	if s.Board != nil {
		s.Board.Sit(t.Number, name, string(t.Config.Objective), float64(t.Config.Slowdown))
	}
}

// pass gives a tenant's sums to the others' record when it leaves.
func (s *serving) pass(n arbiter.Tenant) {
	if s.Board != nil {
		s.Board.Pass(n)
	}
}

// leave takes a tenant out of the set.
func (s *serving) leave(n arbiter.Tenant) {
	if s.Board != nil {
		s.Board.Leave(n)
	}
}

// close empties the set.
func (p *posting) Close() error {
	p.w.Flush(board.MaxTenants, p.complete)
	p.w.Clear()
	p.w.Say(monotonic.Now())
	return nil
}

// withdraws writes on the board that the service sets no clock, and begins anew. It is for the
// goroutine that governs.
func (s *serving) withdraws() {
	if s.Board != nil {
		s.Board.Service().State = board.Starting
		s.Board.Say(monotonic.Now())
	}
}

// says writes on the board what the service does, where it does not govern.
func (s *serving) says(state board.State, by *run.Settings) {
	if s.Board == nil {
		return
	}
	r := s.Board.Service()
	r.State, r.Shadow = state, by.WritesNothing()
	l, err := cpufreq.Look(by.Roots.RunDir)
	r.Pending, r.PendingKnown = l.Killed != 0, err == nil
	s.Board.Say(monotonic.Now())
}
