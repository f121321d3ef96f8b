package energy

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// invocationBin counts the records whose energy is in a part of an octave, or in some octaves.
type invocationBin struct {
	number int
	count  int
}

// binsPerOctave is the number of bins in which the energy doubles, at first.
const binsPerOctave = 4

// maxBins bounds the bins of a function: 512 bytes. In a long run each of many functions has
// records of nearly all energies.
const maxBins = 32

// number returns the number of an energy's bin; -1 for no energy.
func number(e units.Energy) int {
	if e <= 0 {
		return -1
	}
	return int(math.Floor(math.Log2(float64(e)) * binsPerOctave))
}

// bin counts records in a bin, whose number is that of bins of the first width. Where there is no
// room for another, all become twice as wide, but for that of no energy.
func (inv *Invocations) bin(number, count int) {
	for {
		i, found := slices.BinarySearchFunc(inv.bins, number>>inv.widened,
			func(b invocationBin, n int) int { return b.number - n })
		if found {
			inv.bins[i].count += count
			return
		}
		if len(inv.bins) < maxBins {
			inv.bins = slices.Insert(inv.bins, i,
				invocationBin{number: number >> inv.widened, count: count})
			return
		}
		inv.widen()
	}
}

// widen makes all bins twice as wide.
func (inv *Invocations) widen() {
	inv.widened++
	kept := inv.bins[:0]
	for _, b := range inv.bins {
		b.number >>= 1
		if n := len(kept); n > 0 && kept[n-1].number == b.number {
			kept[n-1].count += b.count
		} else {
			kept = append(kept, b)
		}
	}
	inv.bins = kept
}

// InvocationBin is a range of energies and the records that lie in it.
type InvocationBin struct {
	From, To units.Energy
	Records  int
}

// Bins returns the ranges that have records, in order. All are equally wide in octaves: a quarter,
// or more where the energies differ very much.
func (inv *Invocations) Bins() (out []InvocationBin) {
	for _, b := range inv.bins {
		x := InvocationBin{Records: b.count}
		if b.number >= 0 {
			x.From = inv.edge(b.number)
			x.To = inv.edge(b.number + 1)
		}
		out = append(out, x)
	}
	return out
}

// edge returns the energy at which a bin begins.
func (inv *Invocations) edge(number int) units.Energy {
	return units.Energy(min(math.Exp2(float64(number<<inv.widened)/binsPerOctave), 1<<62))
}
