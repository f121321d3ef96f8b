package invocation

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// bin counts the records whose energy is in a part of an octave.
type bin struct {
	number int
	count  int
}

// perOctave is the number of bins in which the energy doubles.
const perOctave = 4

// number is the bin of an energy; that of nothing is -1.
func number(e units.Energy) int {
	if e <= 0 {
		return -1
	}
	return int(math.Floor(math.Log2(float64(e)) * perOctave))
}

// bin counts records in a bin.
func (f *Function) bin(number, count int) {
	i, found := slices.BinarySearchFunc(f.bins, number,
		func(b bin, n int) int { return b.number - n })
	if !found {
		f.bins = slices.Insert(f.bins, i, bin{number: number})
	}
	f.bins[i].count += count
}

// Bin is a range of energies and the records that lie in it.
type Bin struct {
	From, To units.Energy
	Records  int
}

// Bins are the ranges that have records, in order. Each is a quarter of an octave wide.
func (f *Function) Bins() (out []Bin) {
	for _, b := range f.bins {
		x := Bin{Records: b.count}
		if b.number >= 0 {
			x.From = units.Energy(math.Exp2(float64(b.number) / perOctave))
			x.To = units.Energy(math.Exp2(float64(b.number+1) / perOctave))
		}
		out = append(out, x)
	}
	return out
}
