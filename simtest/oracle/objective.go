package oracle

import (
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Objective is the energy that a schedule minimises.
type Objective uint8

const (
	// Processor is the energy of cores and uncore.
	Processor Objective = iota
	// System is the energy of processor and memory (section 6.2 of the paper).
	System
)

// of returns the part of an energy that counts.
func (o Objective) of(e hardware.Energy) units.Energy {
	if o == System {
		return e.Total()
	}
	return e.Package()
}

// String returns the objective's name.
func (o Objective) String() string { return [...]string{"processor", "system"}[o] }
