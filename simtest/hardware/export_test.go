package hardware

// Now is the meter's time.
func (m *Meter) Now() Picoseconds { return m.now }

// Background is the power of memory by the meter's table.
func (m *Meter) Background(rate float64) float64 { return m.background.watts(rate) }
