package campaign

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/oracle"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// jointPlayer sets the clocks of several programs' domains as oracles choose, at each tick. It is
// in the place of governors, and reads from the computers how far the programs really are.
type jointPlayer struct {
	programs []simhost.Program
	oracles  []*oracle.Joint // oracles by domain
	member   []int           // number in the domain's oracle, by program
	clock    []units.Frequency
}

// Step implements governor.Stepper.
func (p *jointPlayer) Step(ev *governor.Event, out []governor.Action) []governor.Action {
	if ev.Kind != governor.Begin && ev.Kind != governor.End &&
		(ev.Kind != governor.Sched || ev.Sched.Kind != epochs.Tick) {
		return out
	}
	i := int(ev.Tenant) - 1
	d := p.programs[i].Domain
	if ev.Kind != governor.Sched {
		p.oracles[d].Present(p.member[i], ev.Kind == governor.Begin)
	}
	for k := range p.programs {
		if x := &p.programs[k]; x.Domain == d {
			t := x.Computer.Truth()
			p.oracles[d].At(p.member[k], t.Work, t.Wall)
		}
	}
	if f := p.oracles[d].Clock(); f != p.clock[d] {
		p.clock[d] = f
		out = append(out, governor.Action{Kind: governor.SetFrequency, Frequency: f, Domain: d})
	}
	return out
}

// sweep runs a tenant's program at each state, without faults.
func (t *tenantCase) sweep(p hardware.Profile) (*oracle.Sweep, error) {
	p = p.WithCores(t.cores())
	s := &oracle.Sweep{Profile: p, Workload: t.Workload, Seed: t.Options.Seed}
	o := simtest.Options{Seed: t.Options.Seed, Quiet: true, Clamp: true,
		Progress: 1 << 21 * int64(t.cores())}
	for _, f := range p.States {
		r, err := simtest.Static(p, t.Workload, o, f)
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, r)
	}
	return s, nil
}

// joint runs a case with the clocks that oracles choose from tables of a kind. Domains share
// nothing, so each has an oracle of its own.
func (t *tenants) joint(
	sweeps []*oracle.Sweep, table oracle.Smoothing, selfish bool,
) ([]*simtest.Truth, error) {
	programs, err := t.programs(false)
	defer closeAll(programs)
	if err != nil {
		return nil, err
	}
	p := &jointPlayer{programs: programs, clock: make([]units.Frequency, t.Domains)}
	members := make([][]oracle.Member, t.Domains)
	for i := range t.Tenants {
		x := &t.Tenants[i]
		p.member = append(p.member, len(members[x.Domain]))
		members[x.Domain] = append(members[x.Domain], oracle.Member{Sweep: sweeps[i], From: x.From,
			Budget: x.Config.Slowdown})
	}
	for _, of := range members {
		o := oracle.NewJoint(&t.Profile, of, t.Tenants[0].Options.Quantum, table, selfish)
		o.Fit()
		p.oracles = append(p.oracles, o)
	}
	if err := governor.Run(context.Background(), p, simhost.NewMachine(programs)); err != nil {
		return nil, err
	}
	return truths(programs), nil
}

// best returns the least energy of each domain over the kinds of tables, with each of its tenants
// within its budget: the highest clock is.
func (t *tenants) best(sweeps []*oracle.Sweep, selfish bool) (sum units.Energy, err error) {
	least := make([]units.Energy, t.Domains)
	for i, s := range sweeps {
		least[t.Tenants[i].Domain] += s.Runs[len(s.Runs)-1].Energy.Package()
	}
	for _, table := range oracle.JointTables {
		runs, err := t.joint(sweeps, table, selfish)
		if err != nil {
			return 0, err
		}
		for d := range least {
			energy, within := units.Energy(0), true
			for i, r := range runs {
				if x := &t.Tenants[i]; x.Domain == arbiter.Domain(d) {
					energy += r.Energy.Package()
					within = within && lost(r, sweeps[i]) <= x.Config.Slowdown+playedOver
				}
			}
			if within {
				least[d] = min(least[d], energy)
			}
		}
	}
	for _, e := range least {
		sum += e
	}
	return sum, nil
}

// playedOver is the share of time that an oracle's run may take beyond a budget: what a program
// loses between the tick that shows that its budget is spent and the clock that follows.
const playedOver = 0.001

// lost returns the time that a run took longer than at the highest clock, as a share of the time in
// which that computes.
func lost(r *simtest.Truth, s *oracle.Sweep) units.Slowdown {
	highest := s.Runs[len(s.Runs)-1]
	return units.Slowdown(float64(r.Wall-highest.Wall) / float64(highest.Computing))
}

// Compared is the processors' energy of a case of several tenants.
type Compared struct {
	Profile          string
	Tenants, Domains int
	Highest          units.Energy // always at the highest clock
	Ebb              units.Energy
	// Oracle is the least with each tenant within its budget, and Rule the least by the rule of
	// the highest wish.
	Oracle, Rule units.Energy
	Over         units.Ratio // largest excess of a tenant's run under ebb over its budget
}

// Compare runs the case of a seed under ebb, and beside it the best that is possible. Most of its
// programs take length.
func Compare(seed uint64, length time.Duration) (*Compared, error) {
	c, err := drawTenants(seed, length)
	if err != nil {
		return nil, err
	}
	out := &Compared{Profile: c.Profile.Name, Tenants: len(c.Tenants), Domains: c.Domains}
	var sweeps []*oracle.Sweep
	for i := range c.Tenants {
		s, err := c.Tenants[i].sweep(c.Profile)
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, s)
		out.Highest += s.Runs[len(s.Runs)-1].Energy.Package()
	}
	if out.Oracle, err = c.best(sweeps, false); err != nil {
		return nil, err
	}
	if out.Rule, err = c.best(sweeps, true); err != nil {
		return nil, err
	}
	out.Oracle = min(out.Oracle, out.Rule) // a choice of the rule is one of all
	runs, _, err := c.governed()
	if err != nil {
		return nil, err
	}
	for i, r := range runs {
		out.Ebb += r.Energy.Package()
		out.Over = max(out.Over, units.Ratio(lost(r, sweeps[i])-c.Tenants[i].Config.Slowdown))
	}
	return out, nil
}
