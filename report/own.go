package report

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/printable"
)

// addOwn adds what ebb itself cost the program, and warns where that is more than the budget.
//
// Of the time that the profiled work took at the highest frequency, ebb's part is the share that it
// had of the whole run. The rest would have been the time without ebb.
func (c *Observer) addOwn() {
	r := c.r
	own := float64(c.own)
	if r.ProfiledNS > 0 && r.WallNS > r.ProfiledNS {
		own *= share(r.ProfiledNS, r.WallNS)
	}
	without := c.slowMax - own
	r.SlowdownOwn = ratio(c.slowMax, without) - 1
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
		"budget of %s, and so kept the highest frequency%s%s",
		printable.ShortPercent(r.SlowdownOwn),
		printable.ShortPercent(r.SlowdownBudget), seldom, advice))
}
