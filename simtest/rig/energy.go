package rig

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// energy reads the machine's energy counters as a host's would be: noisy, in counts, wrapping. The
// truth is not looked at.
type energy struct {
	zones         []simtest.Zone // package, cores and memory, of those that the machine has
	last          []uint64
	sum           []units.Energy
	at            units.Instant // of the last reading
	begun, absent bool
}

// maxPower is more than any zone draws. A counter that seems to have wrapped and to need more was
// reset, or is wrong: what was used meanwhile is not known, and nothing is added. Package rapl has
// the same rule.
const maxPower units.Power = 20_000

// read adds up what the counters advanced. It returns false when the machine's package has none.
func (e *energy) read(m *simtest.Machine) bool {
	if !e.begun {
		e.begin(m)
	}
	if e.absent {
		return false
	}
	for i, z := range e.zones {
		raw, err := m.ReadEnergy(z.Name)
		if err != nil {
			e.absent = true
			return false
		}
		used := z.Between(e.last[i], raw)
		// updates are not in step with the readings
		if used.Over(m.Now().Sub(e.at)+time.Millisecond) <= maxPower {
			e.sum[i] += used
		}
		e.last[i] = raw
	}
	e.at = m.Now()
	return true
}

func (e *energy) begin(m *simtest.Machine) {
	e.begun, e.absent, e.at = true, true, m.Now()
	for _, name := range []string{"package", "core", "dram"} {
		for _, z := range m.Zones() {
			if z.Name != name {
				continue
			}
			raw, err := m.ReadEnergy(name)
			if err != nil {
				return
			}
			e.zones, e.last, e.sum = append(e.zones, z), append(e.last, raw), append(e.sum, 0)
		}
	}
	e.absent = len(e.zones) == 0 || e.zones[0].Name != "package"
}

// metered is the event before a tick, if there is one. The sums count from the machine's beginning.
func (e *energy) metered(m *simtest.Machine, ev *simtest.Event, to *governor.Event) bool {
	if ev.Kind == simtest.Begin {
		e.begin(m)
	}
	if ev.Kind != simtest.Sched || ev.Sched.Kind != epochs.Tick || !e.read(m) {
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
