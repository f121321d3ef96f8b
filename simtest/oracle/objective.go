package oracle

import (
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/physics"
	"github.com/ebb-energy/ebb/units"
)

// Objective is the energy that is to be least.
type Objective uint8

const (
	// Processor is the energy of cores and uncore.
	Processor Objective = iota
	// System is that of processor and memory (section 6.2 of the paper).
	System
)

// Of is the part of an energy that counts.
func (o Objective) Of(e physics.Energy) units.Energy {
	if o == System {
		return e.Total()
	}
	return e.Package()
}

// String is the objective's name.
func (o Objective) String() string { return [...]string{"processor", "system"}[o] }

// Saving is the part of the reference's energy that a run saved; negative if it took more.
func Saving(o Objective, reference, run *simtest.Truth) float64 {
	r := float64(o.Of(reference.Energy))
	if r <= 0 {
		return 0
	}
	return 1 - float64(o.Of(run.Energy))/r
}

// Slowdown is how much longer a run took than the reference, as a part of the reference's time.
func Slowdown(reference, run *simtest.Truth) float64 {
	return float64(run.Wall-reference.Wall) / float64(reference.Wall)
}

// worthwhile is the least saving of an oracle that a governor's can be compared with.
const worthwhile = 0.002

// Share is how much of the oracle's saving a governor reached. ok is false where there is nothing
// to be saved: then the ratio of two small numbers would be noise.
func Share(o Objective, reference, governed, oracle *simtest.Truth) (share float64, ok bool) {
	best := Saving(o, reference, oracle)
	if best < worthwhile {
		return 0, false
	}
	return Saving(o, reference, governed) / best, true
}
