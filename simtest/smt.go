package simtest

import "github.com/ebb-energy/ebb/simtest/hardware"

// sibling is the other hardware thread of c's core, or nil.
func (m *Computer) sibling(c *core) *core {
	if m.profile.SMT.Compute == 0 {
		return nil
	}
	return m.cores[c.id^1]
}

// beside says whether the other hardware thread of c's core runs.
func (m *Computer) beside(c *core) bool {
	s := m.sibling(c)
	return s != nil && s.t != nil
}

// roused notes that a thread comes to c or leaves it, which changes the speed of its sibling.
func (m *Computer) roused(c *core) {
	if s := m.sibling(c); s != nil && s.t != nil {
		s.stale, m.stale = true, true
		s.store.full = false // its room has changed
		s.store.level = min(s.store.level, m.storeEntries(s))
	}
}

// storeEntries is c's part of the store queue.
func (m *Computer) storeEntries(c *core) float64 {
	if m.beside(c) {
		return m.profile.StoreEntries / 2
	}
	return m.profile.StoreEntries
}

// physical is what the cores did in an interval: its activities are those of hardware threads. A
// core's clock runs once for both, and is gated while both wait for memory, each at its own times.
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
