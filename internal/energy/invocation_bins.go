package energy

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// invocationBin counts the records whose energy is in a part of an octave.
type invocationBin struct {
	number int
	count  int
}

// binsPerOctave is the number of bins in which the energy doubles.
const binsPerOctave = 4

// number returns the number of an energy's bin; -1 for no energy.
func number(e units.Energy) int {
	if e <= 0 {
		return -1
	}
	return int(math.Floor(math.Log2(float64(e)) * binsPerOctave))
}

// bin counts records in a bin.
func (inv *Invocations) bin(number, count int) {
	i, found := slices.BinarySearchFunc(inv.bins, number,
		func(b invocationBin, n int) int { return b.number - n })
	if !found {
		inv.bins = slices.Insert(inv.bins, i, invocationBin{number: number})
	}
	inv.bins[i].count += count
}

// InvocationBin is a range of energies and the records that lie in it.
type InvocationBin struct {
	From, To units.Energy
	Records  int
}

// Bins returns the ranges that have records, in order. Each is a quarter of an octave wide.
func (inv *Invocations) Bins() (out []InvocationBin) {
	for _, b := range inv.bins {
		x := InvocationBin{Records: b.count}
		if b.number >= 0 {
			x.From = units.Energy(math.Exp2(float64(b.number) / binsPerOctave))
			x.To = units.Energy(math.Exp2(float64(b.number+1) / binsPerOctave))
		}
		out = append(out, x)
	}
	return out
}
