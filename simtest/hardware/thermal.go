package hardware

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Heat is the die's temperature, as far as leakage depends on it.
type Heat struct {
	Ambient    float64 // degrees C at which the package's lid settles
	Resistance float64 // K/W from the lid to the die
	Reference  float64 // degrees C at which the leakages of Power hold
	Fold       float64 // K that multiply leakage by e
	Constant   float64 // s until 63 % of a change
}

// thermalStep is the interval at which the die's temperature moves, and the period of RAPL's
// updates.
const thermalStep = Picoseconds(time.Millisecond) * picosecondsPerNanosecond

// thermal is the temperature of a die, which follows the package's power with a time constant.
type thermal struct {
	heat    *Heat
	celsius float64
	leakage float64      // factor of leakage at celsius
	decay   float64      // share of the way to its end that the temperature goes per step
	next    Picoseconds  // time at which the temperature moves next
	spent   units.Energy // energy of the package when the temperature last moved
}

// newThermal returns a die at its reference temperature, which half a load reaches.
func newThermal(h *Heat) thermal {
	t := thermal{heat: h, celsius: h.Reference, next: thermalStep}
	t.decay = 1 - math.Exp(-1e-3/h.Constant)
	t.setLeakage()
	return t
}

// move takes one step towards the temperature that the last step's power would reach. The package
// has spent total so far.
func (t *thermal) move(total units.Energy) {
	watts := float64(total-t.spent) / (float64(thermalStep) / picosecondsPerNanosecond) // nJ per ns
	t.spent = total
	t.celsius += (t.heat.Ambient + float64(t.heat.Resistance*watts) - t.celsius) * t.decay
	t.setLeakage()
	t.next += thermalStep
}

func (t *thermal) setLeakage() {
	t.leakage = math.Exp((t.celsius - t.heat.Reference) / t.heat.Fold)
}
