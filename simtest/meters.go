package simtest

import "github.com/ebb-energy/ebb/simtest/hardware"

// Zones returns the computer's energy counters.
func (m *Computer) Zones() []hardware.Zone { return m.rapl.Zones() }

// ReadEnergy reads the raw counter of a zone. Its error wraps hardware.ErrNoZone.
func (m *Computer) ReadEnergy(zone string) (uint64, error) {
	return m.rapl.Read(zone, hardware.Picoseconds(m.now))
}
