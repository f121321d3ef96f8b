package many

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/governor/arbiter"
)

// Add adds a tenant, between two steps. Its number must not be that of a tenant that is there or
// about to leave. The number of a tenant that has left is free again.
func (g *Governors) Add(t *Tenant) error {
	all := Config{Tenants: []Tenant{*t}}
	if err := all.validate(); err != nil {
		return fmt.Errorf("one more tenant: %w", err)
	}
	i, found := g.index(t.Number)
	switch {
	case t.Number == 0 || len(g.cores) > 0 && g.cores[0].number == 0:
		return fmt.Errorf("one more tenant: tenant 0 among others")
	case found:
		return fmt.Errorf("one more tenant: there is a tenant %d", t.Number)
	case len(g.cores) >= Most:
		return fmt.Errorf("one more tenant: there are %d, and no more can be", Most)
	case t.Config.Quantum != g.quantum:
		return fmt.Errorf("one more tenant: it has a quantum of %v, the others one of %v",
			t.Config.Quantum, g.quantum)
	}
	c := newCore(t, g.size)
	if c.failed != nil {
		return fmt.Errorf("one more tenant: %w", c.failed)
	}
	g.cores = slices.Insert(g.cores, i, c)
	return nil
}

// Remove takes out a tenant, between two steps: at once if it has not begun, else with its End. The
// others keep what they know. The energy that it caused is dropped with it; the energy that others
// bore stays theirs.
func (g *Governors) Remove(t arbiter.Tenant) {
	if c := g.find(t); c != nil {
		c.leaving = true
		g.dropLeaving()
	}
}

// dropLeaving drops the tenants that are to leave and are not present.
func (g *Governors) dropLeaving() {
	g.cores = slices.DeleteFunc(g.cores, func(c *core) bool {
		gone := c.leaving && !c.present
		if gone {
			g.energies.left += c.borne
			delete(g.energies.caused, c.number)
		}
		return gone
	})
}

// index returns the index in cores where a tenant's core is, or would be.
func (g *Governors) index(t arbiter.Tenant) (i int, found bool) {
	return slices.BinarySearchFunc(g.cores, t,
		func(c *core, t arbiter.Tenant) int { return cmp.Compare(c.number, t) })
}
