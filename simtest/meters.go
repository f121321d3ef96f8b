package simtest

import "github.com/ebb-energy/ebb/simtest/physics"

// Zones are the computer's energy counters.
func (m *Computer) Zones() []physics.Zone { return m.rapl.Zones() }

// ReadEnergy reads the raw counter of a zone. Its error wraps physics.ErrNoZone.
func (m *Computer) ReadEnergy(zone string) (uint64, error) {
	return m.rapl.Read(zone, physics.Picoseconds(m.now))
}
