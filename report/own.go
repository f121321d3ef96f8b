package report

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor"
)

// ebbs is what ebb itself cost the program, by the quanta.
type ebbs struct {
	own    time.Duration // as the budget pays it: at the clock it ran at, tracing at the highest
	spared float64       // ns that its part of the quanta would take at the highest frequency
	seen   governor.Cost // that quanta have, of the newest reading
}

// quantum enters a quantum, which has what was read since the last.
func (e *ebbs) quantum(r *Report, q *governor.Quantum) {
	now := governor.Cost{Displaced: time.Duration(r.DisplacedNS), Traced: time.Duration(r.TracedNS)}
	cost := governor.Cost{Displaced: max(now.Displaced-e.seen.Displaced, 0),
		Traced: max(now.Traced-e.seen.Traced, 0)}
	e.seen = now
	e.own += q.Own
	longest := q.AtHighest // what the budget is kept by
	if longest == 0 {
		longest = q.Max
	}
	e.spared += cost.Spared(&q.Measured, longest)
}

// without is the time that the profiled work would have taken at the highest frequency without ebb,
// and what ebb cost it, both in ns. Quanta have the cost of the whole run, which took wall; theirs
// is the share that they had of it.
//
// Ebb's part of a quantum is in what was predicted for the highest frequency, as if that shortened
// it like the program: only so much comes off, not all of the time that it took. What comparisons
// have shown of the predictions is in it.
func (c *Observer) without(wall int64) (ns, own float64) {
	part := 1.0
	if profiled := c.r.ProfiledNS; profiled > 0 && wall > profiled {
		part = share(profiled, wall)
	}
	ns = c.slowMax - float64(c.ebb.spared*part)
	if c.saving != nil {
		ns *= math.Exp(c.saving.Late)
	}
	return ns, float64(c.ebb.own) * part
}

// addOwn adds what ebb itself cost the program, and warns where that is more than the budget.
func (c *Observer) addOwn() {
	r := c.r
	without, own := c.without(r.WallNS)
	if without > 0 {
		r.SlowdownOwn = own / without
	}
	r.SlowdownTotal = ratio(c.slowEff, without) - 1
	if r.Objective != "slowdown" || r.SlowdownOwn <= r.SlowdownBudget || r.WallNS == 0 {
		return
	}
	holdOff := max(r.HoldOff, 1)
	if r.SlowdownBudget > 0 {
		holdOff = int(math.Ceil(2 * float64(holdOff) * r.SlowdownOwn / r.SlowdownBudget))
	} else {
		holdOff = 0
	}
	advice := ""
	if holdOff > 0 {
		advice = fmt.Sprintf(": --hold-off %d would cost less", holdOff)
	}
	seldom := ""
	if r.Rests > 0 {
		seldom = fmt.Sprintf(" and looked only every %.1f quanta",
			float64(r.RestQuanta)/float64(r.Rests))
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("ebb itself cost the program %s, more than the "+
		"budget of %s, and so kept the highest frequency%s%s", percent(r.SlowdownOwn),
		percent(r.SlowdownBudget), seldom, advice))
}
