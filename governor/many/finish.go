package many

import (
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// finishStep ends a step. It emits the requests that follow from the wishes. A core gets an event
// if its clock is another tenant's wish, or has changed because its tenant runs elsewhere.
func (g *Governors) finishStep() {
	g.request()
	for _, c := range g.cores {
		if !c.present || c.failed != nil {
			continue
		}
		if f := g.delivered(c); f != c.believed && g.size > 1 && f != 0 {
			g.answer(c, &governor.Event{Kind: governor.Applied, At: g.now, Frequency: f})
		}
		held, by := g.held(c)
		if held <= c.wish {
			held = 0
		}
		if held != 0 {
			c.heldBy = by
		}
		if held != c.held {
			c.held = held
			g.answer(c, &governor.Event{Kind: governor.Held, At: g.now, Frequency: held})
		}
		g.confirm(c)
	}
}

// confirm answers a core whose wish needs no request, because another's made one before. Without an
// answer the core would wait for ever.
func (g *Governors) confirm(c *core) {
	if f := g.delivered(c); c.waits && f != 0 && f >= c.wish &&
		!c.unanswered(func(d int) bool { return g.runsOn(c, d) }) {
		g.answer(c, &governor.Event{Kind: governor.Applied, At: g.now, Frequency: f})
	}
}

// delivered returns the slowest clock that the machine reported of the domains where a tenant runs;
// 0 when none is known.
func (g *Governors) delivered(c *core) (slowest units.Frequency) {
	for d, f := range c.applied {
		if f != 0 && (slowest == 0 || f < slowest) && g.runsOn(c, d) {
			slowest = f
		}
	}
	return slowest
}

// held returns the least request for the domains where a tenant runs, and whose wish it is.
func (g *Governors) held(c *core) (least units.Frequency, by arbiter.Tenant) {
	for d := range g.size {
		if r := g.arbiter.At(arbiter.Domain(d)); g.runsOn(c, d) &&
			(least == 0 || r.Frequency < least) {
			least, by = r.Frequency, r.By
		}
	}
	return least, by
}

func (g *Governors) runsOn(c *core, d int) bool {
	return g.arbiter.Runs(c.number, arbiter.Domain(d))
}
