package campaign

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// energyAudit reads the machine's energy counters as a program on it would, and compares them with
// the true energy.
type energyAudit struct {
	zones    []hardware.Zone
	last     []uint64       // raw counter per zone
	known    []bool         // last is a reading, per zone
	sum      []units.Energy // counted per zone
	spent    []units.Energy // true energy per zone when sum began
	reported units.Energy   // reported to the governor
	faults   *hardware.FaultPlan
	broken   []Broken
}

func newEnergyAudit(m *simtest.Computer, f *hardware.FaultPlan) *energyAudit {
	z := m.Zones()
	return &energyAudit{zones: z, last: make([]uint64, len(z)), known: make([]bool, len(z)),
		sum: make([]units.Energy, len(z)), spent: make([]units.Energy, len(z)), faults: f}
}

// look reads the counters and returns what was really spent.
func (a *energyAudit) look(m *simtest.Computer) hardware.Energy {
	e := m.Truth().Energy
	for i, z := range a.zones {
		v, err := m.ReadEnergy(z.Name)
		faulty := slices.ContainsFunc(a.faults.RAPL, func(f hardware.RAPLFault) bool {
			return f.Zone == z.Name && f.Kind != hardware.Wrapping
		})
		switch {
		case err != nil && (!errors.Is(err, hardware.ErrNoZone) || !faulty):
			a.fail(m, "%s: %v", z.Name, err)
		case err != nil || faulty:
			a.known[i] = false
		case !a.known[i]:
			a.known[i], a.last[i], a.sum[i], a.spent[i] = true, v, 0, zone(z.Name, &e)
		default:
			a.sum[i] += z.Between(a.last[i], v)
			a.last[i] = v
			a.compare(m, i, zone(z.Name, &e)-a.spent[i])
		}
	}
	return e
}

// compare: a counter is behind by no more than two updates' worth, and off by no more than its gain
// and noise.
func (a *energyAudit) compare(m *simtest.Computer, i int, spent units.Energy) {
	p := m.Profile()
	if a.zones[i].Name == "psys" {
		return // the total has the platform's power in it
	}
	gain := 1.0
	if g, ok := p.RAPL.Gain[a.zones[i].Name]; ok {
		gain = g
	}
	want := float64(spent) * gain
	slack := counterSlack(p)
	if d := float64(a.sum[i]) - want; d > slack || d < -slack {
		a.fail(m, "%s counted %v, %.0f nJ were spent", a.zones[i].Name, a.sum[i], want)
	}
}

// metered sees the energy that is reported to the governor. It never falls, and never exceeds the
// true energy by much, whatever the counters do. Without faults, and read in time, it is the true
// energy within the counters' error.
func (a *energyAudit) metered(m *simtest.Computer, reported units.Energy, late bool) {
	if reported < a.reported {
		a.fail(m, "the governor got %v, after %v", reported, a.reported)
	}
	a.reported = reported
	p := m.Profile()
	gain := 1.0
	if g, ok := p.RAPL.Gain["package"]; ok {
		gain = g
	}
	e := m.Truth().Energy
	want := float64(e.Package()) * gain
	slack := counterSlack(p)
	faulty := false
	for _, f := range a.faults.RAPL {
		if f.Zone == "package" && f.Kind != hardware.Wrapping {
			faulty = true
			// Each step back is made up for by a step forward.
			slack += f.To.Seconds() * 1000 * 1000 * p.RAPL.Unit * 1e9
		}
	}
	if d := float64(reported) - want; d > slack || d < -slack && !faulty && !late {
		a.fail(m, "the governor got %v, %.0f nJ were spent", reported, want)
	}
}

// counterSlack returns the largest error of a counter, in nJ: two updates with noise, and one count
// at each end.
func counterSlack(p *hardware.Profile) float64 {
	const watts = 400 // no machine here draws more
	return watts*2e6*(1+8*p.RAPL.Noise) + 2e9*p.RAPL.Unit
}

func zone(name string, e *hardware.Energy) units.Energy {
	switch name {
	case "core":
		return e.Cores()
	case "dram":
		return e.DRAM()
	case "psys":
		return e.Total()
	}
	return e.Package()
}

func (a *energyAudit) fail(m *simtest.Computer, format string, args ...any) {
	if len(a.broken) < maxBroken {
		a.broken = append(a.broken, Broken{Rule: "rapl", At: m.Now(),
			What: fmt.Sprintf(format, args...)})
	}
}
