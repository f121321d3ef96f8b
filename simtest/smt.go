package simtest

import "github.com/ebb-energy/ebb/simtest/hardware"

// sibling returns the other hardware thread of c's core, or nil.
func (m *Computer) sibling(c *core) *core {
	if m.profile.SMT.Compute == 0 {
		return nil
	}
	return m.cores[c.id^1]
}

// beside reports whether the other hardware thread of c's core runs.
func (m *Computer) beside(c *core) bool {
	s := m.sibling(c)
	return s != nil && s.t != nil
}

// roused notes that a thread comes to c or leaves it, which changes the speed of its sibling.
func (m *Computer) roused(c *core) {
	if s := m.sibling(c); s != nil && s.t != nil {
		s.stale, m.stale = true, true
		s.store.full = false // the queue's room has changed
		s.store.level = min(s.store.level, m.storeEntries(s))
	}
}

// storeEntries returns c's part of the store queue.
func (m *Computer) storeEntries(c *core) float64 {
	if m.beside(c) {
		return m.profile.StoreEntries / 2
	}
	return m.profile.StoreEntries
}

// physical returns the activities of the cores in an interval, whose own activities are those of
// hardware threads. A core's clock runs once for both, and is gated while both wait for memory,
// each at its own times.
func (m *Computer) physical(iv *hardware.Interval) *hardware.Interval {
	if m.profile.SMT.Compute == 0 {
		return iv
	}
	out := &m.folded
	cores := out.Cores
	*out = *iv
	out.Cores = cores
	for i := range cores {
		a, b := &iv.Cores[2*i], &iv.Cores[2*i+1]
		x := hardware.Activity{Running: a.Running || b.Running, Halted: a.Halted || b.Halted,
			Instructions: a.Instructions + b.Instructions}
		if x.Instructions > 0 {
			x.Kind = (a.Instructions*a.Kind + b.Instructions*b.Kind) / x.Instructions
		}
		switch {
		case a.Running && b.Running:
			x.StalledNs = a.StalledNs * b.StalledNs / iv.Ns
		case a.Running:
			x.StalledNs = a.StalledNs
		case b.Running:
			x.StalledNs = b.StalledNs
		}
		cores[i] = x
	}
	return out
}
