package hardware

import "github.com/ebb-energy/ebb/units"

// Energy is a machine's energy so far, by component. The parts are whole nJ and each total is a sum
// of parts, so totals add up exactly.
type Energy struct {
	CoreDynamic, CoreStatic     units.Energy // energies of all cores
	UncoreDynamic, UncoreStatic units.Energy // shared cache, interconnect, memory controller
	DRAMAccess, DRAMBackground  units.Energy
}

// Cores returns the energy that the cores' RAPL zone counts.
func (e Energy) Cores() units.Energy { return e.CoreDynamic + e.CoreStatic }

// Package returns the energy that the package's RAPL zone counts: the processor's energy in the
// paper.
func (e Energy) Package() units.Energy { return e.Cores() + e.UncoreDynamic + e.UncoreStatic }

// DRAM returns the energy that the memory's RAPL zone counts.
func (e Energy) DRAM() units.Energy { return e.DRAMAccess + e.DRAMBackground }

// Total returns the system's energy in the paper (section 6.2): processor and memory.
func (e Energy) Total() units.Energy { return e.Package() + e.DRAM() }

// Plus adds part by part.
func (e Energy) Plus(o Energy) Energy {
	return Energy{
		CoreDynamic:    e.CoreDynamic + o.CoreDynamic,
		CoreStatic:     e.CoreStatic + o.CoreStatic,
		UncoreDynamic:  e.UncoreDynamic + o.UncoreDynamic,
		UncoreStatic:   e.UncoreStatic + o.UncoreStatic,
		DRAMAccess:     e.DRAMAccess + o.DRAMAccess,
		DRAMBackground: e.DRAMBackground + o.DRAMBackground,
	}
}

// Minus returns the energy spent between o and e.
func (e Energy) Minus(o Energy) Energy {
	return Energy{
		CoreDynamic:    e.CoreDynamic - o.CoreDynamic,
		CoreStatic:     e.CoreStatic - o.CoreStatic,
		UncoreDynamic:  e.UncoreDynamic - o.UncoreDynamic,
		UncoreStatic:   e.UncoreStatic - o.UncoreStatic,
		DRAMAccess:     e.DRAMAccess - o.DRAMAccess,
		DRAMBackground: e.DRAMBackground - o.DRAMBackground,
	}
}

// Falls reports whether a part of e is negative: a difference of two sums in time must not be.
func (e Energy) Falls() bool {
	return min(e.CoreDynamic, e.CoreStatic, e.UncoreDynamic,
		e.UncoreStatic, e.DRAMAccess, e.DRAMBackground) < 0
}

// accumulator sums energy in integers. Each amount is rounded to 1 aJ once; the sum loses nothing
// afterwards.
type accumulator struct {
	nJ int64
	aJ int64 // less than 1 nJ
}

const attojoulesPerNanojoule = 1_000_000_000

// add takes an amount in aJ, at most 9 J.
func (a *accumulator) add(aJ float64) {
	a.aJ += int64(aJ + 0.5)
	if a.aJ >= attojoulesPerNanojoule {
		a.nJ += a.aJ / attojoulesPerNanojoule
		a.aJ %= attojoulesPerNanojoule
	}
}
