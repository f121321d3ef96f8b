package simtest

// Zones are the energy counters that the machine has.
func (m *Machine) Zones() []Zone { return m.rapl.all() }

// ReadEnergy reads a zone's counter, as it shows now. Its error is ErrNoZone.
func (m *Machine) ReadEnergy(zone string) (uint64, error) { return m.rapl.read(zone, m.now) }
