package power

import "math"

// Guessed says whether nobody has said what this processor draws: the parameters are Table2's. What
// is said of memory, platform and full load does not count.
func (m Model) Guessed() bool {
	d := Table2()
	d.Name, d.FullLoad, d.DRAMStatic, d.DRAMAccess, d.Platform = m.Name, m.FullLoad, m.DRAMStatic, m.DRAMAccess, m.Platform
	return m == d
}

// prior is how far the sizes of a processor's parts may be from the model's before a meter has said
// anything: standard deviations, relative to the sizes.
//
// Much of it is common to the parts. A processor may draw twice as much as the model in all, which
// changes nothing about which frequency is the best; and how static power divides into what is on
// at any clock and what leaks with the voltage is not known where the sum is. If every part were
// taken to err by itself, what a meter shows at one frequency would be put down to the part that is
// least certain, and the others would be judged by that.
type prior struct {
	scale float64 // all parts together
	split float64 // the constant part, at the cost of leakage
	own   [parts]float64
}

var (
	// stated is for parameters that somebody gave: by a data sheet, by measurement.
	stated = prior{scale: 0.3, split: 0.5, own: [parts]float64{
		partConstant: 0.3, partLeakage: 0.3, partInstructions: 0.2, partCycles: 0.5, partRequests: 1, partFlat: 0.15,
	}}
	// guessed is for any processor at all. Least is known of what is always on: it is a fifth of a
	// desktop part's power and most of that of a large server's with few busy cores.
	guessed = prior{scale: 0.6, split: 0.5, own: [parts]float64{
		partConstant: 2, partLeakage: 0.6, partInstructions: 0.4, partCycles: 1, partRequests: 2, partFlat: 0.4,
	}}
)

func priorOf(m Model) *prior {
	if m.Guessed() {
		return &guessed
	}
	return &stated
}

// covariance is that of the sizes.
func (p *prior) covariance() (c [parts][parts]float64) {
	// the flat part's mean is nothing
	scale := [parts]float64{p.scale, p.scale, p.scale, p.scale, p.scale, 0}
	split := [parts]float64{partConstant: p.split,
		partLeakage: -p.split * constantShare / (1 - constantShare)}
	for i := range c {
		for j := range c {
			c[i][j] = float64(scale[i]*scale[j]) + float64(split[i]*split[j])
		}
		c[i][i] += p.own[i] * p.own[i]
	}
	return c
}

// Deviation is how uncertain Energy of x is: a standard deviation, nJ. Of the difference of two
// activities' features it is that of the difference of their energies, which is less than that of
// either, as what they have in common falls out.
func (f *Fit) Deviation(x *Features) float64 {
	var v float64
	for i := range x {
		for j := range x {
			v += float64(f.cov[i][j] * float64(x[i]*x[j]))
		}
	}
	return math.Sqrt(max(v, 0))
}
