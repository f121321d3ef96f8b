package simtest

import (
	"github.com/ebb-energy/ebb/simtest/physics"
)

// Zones are the energy counters that the machine has.
func (m *Computer) Zones() []physics.Zone { return m.rapl.Zones() }

// ReadEnergy reads a zone's counter, as it shows now. Its error is ErrNoZone.
func (m *Computer) ReadEnergy(zone string) (uint64, error) {
	return m.rapl.Read(zone, physics.Picoseconds(m.now))
}
