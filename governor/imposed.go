package governor

import (
	"math"

	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// impose enters what it cost that another tenant held the clock above this governor's request: what
// the quantum's work drew, by the model, less what it would have drawn at the request. The part
// that the machine draws whoever runs there does not count: the other tenant keeps the machine on.
func (g *Governor) impose(m, alone *Measured, used *power.Features) {
	held := g.request.heldAt(m.Start + units.Instant(m.Dur/2))
	asked := g.request.asked
	if held <= asked || m.Hole || m.Busy == 0 {
		return
	}
	t := g.view.Duration(asked)
	if !(t > 0) || math.IsInf(t, 1) {
		return // nothing is predicted
	}
	wished := g.features(alone, asked, alone.shorter(m, t))
	g.imposed += g.meter.fit.Working(used) - g.meter.fit.Working(&wished)
}

// Imposed returns the energy, nJ, that the wishes of other tenants have cost this one so far, by
// the model.
func (g *Governor) Imposed() float64 { return g.imposed }

// save enters what a quantum's work would have drawn at the highest clock, by the model, less what
// it drew with ebb's own work for it. As in impose the part does not count that the machine draws
// whoever runs there.
func (g *Governor) save(q *saving.Quantum) {
	if q.Hole || !q.Busy {
		return
	}
	drew := g.meter.fit.Working(&q.Used) / (1 - q.Own)
	if more := g.meter.fit.Working(&q.Highest) - drew; !math.IsNaN(more) && !math.IsInf(more, 0) {
		g.saved += more
	}
}

// Saved returns the energy, nJ, that the work so far would have drawn more at the highest clock, by
// the model. It falls where ebb's own work draws more than a lower clock saves.
func (g *Governor) Saved() float64 { return g.saved }
