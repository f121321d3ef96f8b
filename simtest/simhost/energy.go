package simhost

import (
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// energy reads the computer's energy counters as ebb reads a host's: they are noisy, count in units
// and wrap. It never sees the true energy.
type energy struct {
	zones []hardware.Zone // package, cores and memory, of those that the computer has
	last  []uint64        // raw counter per zone, at the latest reading
	sum   []units.Energy  // energy per zone since the computer's start
	at    units.Instant   // time of the latest reading

	begun  bool
	absent bool // the package has no counter, or a counter has gone
}

// maxPower is more than any zone draws. A counter that seems to have wrapped and to need more was
// reset, or is wrong. The energy spent meanwhile is unknown, and nothing is added. Package rapl has
// the same rule.
const maxPower units.Power = 20_000

// read adds the counters' advance to the sums. It returns false if the package has no counter.
func (e *energy) read(c *simtest.Computer) bool {
	if !e.begun {
		e.begin(c)
	}
	if e.absent {
		return false
	}
	for i, z := range e.zones {
		raw, err := c.ReadEnergy(z.Name)
		if err != nil {
			e.absent = true
			return false
		}
		used := z.Between(e.last[i], raw)
		// Updates are not in step with the readings.
		if used.Over(c.Now().Sub(e.at)+time.Millisecond) <= maxPower {
			e.sum[i] += used
		}
		e.last[i] = raw
	}
	e.at = c.Now()
	return true
}

func (e *energy) begin(c *simtest.Computer) {
	e.begun, e.absent, e.at = true, true, c.Now()
	for _, name := range []string{"package", "core", "dram"} {
		for _, z := range c.Zones() {
			if z.Name != name {
				continue
			}
			raw, err := c.ReadEnergy(name)
			if err != nil {
				return
			}
			e.zones, e.last, e.sum = append(e.zones, z), append(e.last, raw), append(e.sum, 0)
		}
	}
	e.absent = len(e.zones) == 0 || e.zones[0].Name != "package"
}

// metered returns the reading before a tick, if there is one. The sums count from the computer's
// start.
func (e *energy) metered(c *simtest.Computer, ev *simtest.Event, to *governor.Event) bool {
	if ev.Kind == simtest.Begin {
		e.begin(c)
	}
	if !isTick(ev) || !e.read(c) {
		return false
	}
	*to = governor.Event{Kind: governor.Metered, At: ev.Sched.At}
	for i, z := range e.zones {
		switch z.Name {
		case "package":
			to.Package = e.sum[i]
		case "core":
			to.Cores = e.sum[i]
		case "dram":
			to.DRAM = e.sum[i]
		}
	}
	return true
}
