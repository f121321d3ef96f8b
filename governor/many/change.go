package many

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/governor/arbiter"
)

// Add adds a tenant, between two steps. Its number must not be that of a tenant that is there or
// about to leave. The number of a tenant that has left is free again.
func (m *Governors) Add(t *Tenant) error {
	all := Config{Tenants: []Tenant{*t}}
	if err := all.validate(); err != nil {
		return fmt.Errorf("one more tenant: %w", err)
	}
	i, found := m.place(t.Number)
	switch {
	case t.Number == 0 || len(m.cores) > 0 && m.cores[0].number == 0:
		return fmt.Errorf("one more tenant: tenant 0 among others")
	case found:
		return fmt.Errorf("one more tenant: there is a tenant %d", t.Number)
	case len(m.cores) >= Most:
		return fmt.Errorf("one more tenant: there are %d, and no more can be", Most)
	case t.Config.Quantum != m.quantum:
		return fmt.Errorf("one more tenant: it has a quantum of %v, the others one of %v",
			t.Config.Quantum, m.quantum)
	}
	c := newCore(t, m.size)
	if c.failed != nil {
		return fmt.Errorf("one more tenant: %w", c.failed)
	}
	m.cores = slices.Insert(m.cores, i, c)
	return nil
}

// Remove takes out a tenant, between two steps: at once if it has not begun, else with its End. The
// others keep what they know. The energy that it caused is dropped with it; the energy that others
// bore stays theirs.
func (m *Governors) Remove(t arbiter.Tenant) {
	if c := m.find(t); c != nil {
		c.leaving = true
		m.dropLeaving()
	}
}

// dropLeaving drops the tenants that are to leave and are not present.
func (m *Governors) dropLeaving() {
	m.cores = slices.DeleteFunc(m.cores, func(c *core) bool {
		gone := c.leaving && !c.present
		if gone {
			m.ledger.left += c.borne
			delete(m.ledger.caused, c.number)
		}
		return gone
	})
}

// place returns the index in cores where a tenant's core is, or would be.
func (m *Governors) place(t arbiter.Tenant) (i int, found bool) {
	return slices.BinarySearchFunc(m.cores, t,
		func(c *core, t arbiter.Tenant) int { return cmp.Compare(c.number, t) })
}
