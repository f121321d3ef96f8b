package simtest

import (
	"github.com/ebb-energy/ebb/units"
)

// Energy is what a machine has spent, by where it went. The parts are whole nJ; totals are their
// sums, so that they add up.
type Energy struct {
	CoreDynamic, CoreStatic     units.Energy // of all cores
	UncoreDynamic, UncoreStatic units.Energy // shared cache, interconnect, memory controller
	DRAMAccess, DRAMBackground  units.Energy
}

// Cores is what the cores' RAPL zone counts.
func (e Energy) Cores() units.Energy { return e.CoreDynamic + e.CoreStatic }

// Package is what the package's RAPL zone counts: the processor's energy of the paper.
func (e Energy) Package() units.Energy { return e.Cores() + e.UncoreDynamic + e.UncoreStatic }

// DRAM is what the memory's RAPL zone counts.
func (e Energy) DRAM() units.Energy { return e.DRAMAccess + e.DRAMBackground }

// Total is the system's energy of the paper (section 6.2): processor and memory.
func (e Energy) Total() units.Energy { return e.Package() + e.DRAM() }

// Plus adds part by part.
func (e Energy) Plus(o Energy) Energy {
	return Energy{
		e.CoreDynamic + o.CoreDynamic, e.CoreStatic + o.CoreStatic, e.UncoreDynamic +
			o.UncoreDynamic, e.UncoreStatic + o.UncoreStatic,
		e.DRAMAccess + o.DRAMAccess, e.DRAMBackground + o.DRAMBackground,
	}
}

// Minus is what was spent between o and e.
func (e Energy) Minus(o Energy) Energy {
	return Energy{
		e.CoreDynamic - o.CoreDynamic, e.CoreStatic - o.CoreStatic, e.UncoreDynamic - o.UncoreDynamic, e.UncoreStatic - o.UncoreStatic,
		e.DRAMAccess - o.DRAMAccess, e.DRAMBackground - o.DRAMBackground,
	}
}

// toward is this share of the way from e to o.
func (e Energy) toward(o Energy, part float64) Energy {
	at := func(a, b units.Energy) units.Energy { return a + units.Energy(float64(b-a)*part) }
	return Energy{
		at(e.CoreDynamic, o.CoreDynamic), at(e.CoreStatic, o.CoreStatic), at(e.UncoreDynamic,
			o.UncoreDynamic),
		at(e.UncoreStatic, o.UncoreStatic), at(e.DRAMAccess, o.DRAMAccess), at(e.DRAMBackground,
			o.DRAMBackground),
	}
}

// accumulator sums energies in integers. What comes in is rounded to aJ once, and nothing is lost
// after that.
type accumulator struct{ nJ, aJ int64 } // aJ is less than 1 nJ

const ajPerNJ = 1_000_000_000

// add takes an amount in aJ, at most 9 J.
func (a *accumulator) add(aJ float64) {
	a.aJ += int64(aJ + 0.5)
	if a.aJ >= ajPerNJ {
		a.nJ += a.aJ / ajPerNJ
		a.aJ %= ajPerNJ
	}
}
