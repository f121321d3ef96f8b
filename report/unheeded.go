package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// unheed adds up for how long the machine did not do what it said.
type unheed struct {
	times         int
	since         units.Instant // of the one that lasts; 0 when none does
	all           time.Duration
	counted, told units.Frequency // at the first
}

func (c *Collector) unheeded(a *governor.Action) {
	u := &c.unheed
	if u.since != 0 {
		return // it lasts, with another clock
	}
	if u.times++; u.times == 1 {
		u.counted, u.told = a.Frequency, a.Told
	}
	u.since = c.end
}

func (c *Collector) heeded(at units.Instant) {
	u := &c.unheed
	if u.since != 0 {
		u.all += time.Duration(at - u.since)
		u.since = 0
	}
}

// warnUnheeded says at the end what came of the requests.
func (c *Collector) warnUnheeded() {
	c.heeded(c.end)
	if u := &c.unheed; u.times > 0 {
		c.r.Warnings = append(c.r.Warnings, fmt.Sprintf(
			"for %v the clock was not the one the machine said: by the counter of cycles %v where it said %v. Requests have no effect, or something limits the clock",
			u.all.Round(time.Millisecond), u.counted, u.told))
	}
}
