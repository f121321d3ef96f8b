package many

import (
	"math"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// TenantEnergy is what clocks have cost or saved a tenant, by the model. None of it includes the
// leakage of a higher voltage, which is the machine's, whoever runs.
type TenantEnergy struct {
	Tenant arbiter.Tenant
	// Borne is what wishes of other tenants have cost it, and Caused what its own have cost others.
	Borne, Caused units.Energy
	// Saved is what its work drew less than at the highest clock; see governor.Governor.Saved.
	Saved units.Energy
}

// Energy is the machine's energy while the tenants were governed. The model says which of it was
// imposed, and Rest is all other energy that was measured: the two add up to Measured, in nJ.
type Energy struct {
	Measured units.Energy // 0 without a meter
	Imposed  units.Energy // borne by all tenants together
	Rest     units.Energy // below 0 where no meter measured the imposed energy
	Tenants  []TenantEnergy
}

// energies keeps the account of energies.
type energies struct {
	first, last units.Energy // readings of the meter
	begun       bool
	caused      map[arbiter.Tenant]units.Energy
	left        units.Energy // energy borne by the tenants that were taken out
}

func (e *energies) metered(ev *governor.Event) {
	all := ev.Package + ev.DRAM
	if !e.begun {
		e.begun, e.first = true, all
	}
	e.last = all
}

// impose enters the imposed energy that a core has found since the last call. It rounds sums, not
// differences, so that no part of a nJ is lost.
func (e *energies) impose(c *core) {
	sum := c.g.Imposed()
	if math.IsNaN(sum) || math.Abs(sum) > math.MaxInt64/2 {
		return
	}
	more := int64(math.Round(sum)) - c.entered
	if more == 0 {
		return
	}
	c.entered += more
	c.borne += units.Energy(more)
	if e.caused == nil {
		e.caused = map[arbiter.Tenant]units.Energy{}
	}
	e.caused[c.heldBy] += units.Energy(more)
}

// Energy returns the account of energies so far.
func (g *Governors) Energy() Energy {
	e := Energy{Measured: g.energies.last - g.energies.first, Imposed: g.energies.left}
	for _, c := range g.cores {
		e.Imposed += c.borne
		e.Tenants = append(e.Tenants, TenantEnergy{Tenant: c.number, Borne: c.borne,
			Caused: g.energies.caused[c.number], Saved: c.saved()})
	}
	e.Rest = e.Measured - e.Imposed
	return e
}
