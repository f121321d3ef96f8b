package governor

import (
	"github.com/ebb-energy/ebb/governor/coalesce"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// longestRest returns the longest rest in quanta, 0 where there are none: a decision that holds for
// some quanta anyway is one, and only the rule that keeps an account of what quanta took can settle
// a rest by the facts.
func (c *Config) longestRest() int {
	if c.HoldOff > 1 || !c.accounts() {
		return 0
	}
	return c.Rest
}

// mayRest lets the machine be silent for the quanta to come, if the program does as forecast.
func (g *Governor) mayRest(t *tally, q *policy.Quantum, d *policy.Decision) {
	counted := q.ThreadRun
	if g.columns.instructions < 0 {
		counted = 0
	}
	took := q.Took
	if g.cfg.Shadow {
		took = d.Chosen // the work goes on at the machine's own clock, whatever is chosen
	}
	n, within := g.rest.Next(&coalesce.Quantum{
		Work: coalesce.Work{Time: q.Dur, Run: q.ThreadRun, Counted: counted, Switches: t.switches,
			Instructions: q.Instructions, Requests: t.DRAMReads},
		Ready: t.ready, Own: q.Own, Idle: q.Idle(), Took: took, Max: d.Max, After: d.Chosen,
		Slack: d.Slack, Sound: !q.Hole && lasting(d.Reason), Broken: t.broken,
		Highest: d.Frequency == g.highest(),
	})
	g.pending = pending{quanta: n, from: t.end, within: within}
	if g.grid.open && g.grid.start == t.end {
		g.beginRest()
	}
}

// pending is a rest that has been decided on. It begins with the quantum behind the one decided on.
type pending struct {
	quanta int
	from   units.Instant
	within coalesce.Bounds
}

// beginRest begins the rest that is pending, if the quantum in progress is still its first.
func (g *Governor) beginRest() {
	p := g.pending
	g.pending = pending{}
	if p.quanta < 2 || g.ended || g.ending || g.grid.start != p.from ||
		max(g.now, g.seen) >= g.grid.next {
		return
	}
	g.grid.rest(p.quanta)
	g.current.rested = true
	g.beBrief()
	g.out = append(g.out, Action{Kind: Rest, Rest: Silence{From: p.from, Until: g.grid.next,
		Within: p.within}})
}

// beBrief has the last quantum of the rest stand for the whole rest.
func (g *Governor) beBrief() {
	if g.cfg.Brief && g.sampled == nil {
		g.current.brief = g.grid.next - units.Instant(g.cfg.Quantum)
	}
}

// lasting reports whether a choice is one that may hold for some quanta.
func lasting(r policy.Reason) bool {
	switch r {
	case policy.ReasonHighest, policy.ReasonLowest, policy.ReasonBudget, policy.ReasonCarry,
		policy.ReasonEnergy:
		return true
	}
	return false
}

// wake ends a rest at a tick.
func (g *Governor) wake(at units.Instant) {
	if g.grid.wake(at, g.seen) {
		g.current.broken = true
		g.beBrief()
	}
}
