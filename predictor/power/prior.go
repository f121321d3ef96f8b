package power

import "math"

// Guessed reports whether nobody has described this processor: the parameters are Table2's. Those
// of memory, platform and full load do not count.
func (m Model) Guessed() bool {
	d := Table2()
	d.Name, d.FullLoad, d.Platform = m.Name, m.FullLoad, m.Platform
	d.DRAMStatic, d.DRAMAccess = m.DRAMStatic, m.DRAMAccess
	return m == d
}

// prior is the uncertainty of the sizes of a processor's parts before a meter was read: standard
// deviations, relative to the sizes.
//
// Much of it is common to the parts. A processor may draw twice as much as the model in all, which
// does not change the best frequency. And static power may be known while its division is not, into
// what is on at any clock and what leaks with the voltage. If every part erred by itself, a meter
// read at one frequency would only correct the least certain part, and the others would be judged
// by that.
type prior struct {
	scale float64 // deviation common to all parts
	split float64 // deviation of the constant part, at the cost of leakage
	own   [partCount]float64
}

var (
	// statedPrior is for parameters that somebody gave: by a data sheet, by measurement.
	statedPrior = prior{scale: 0.3, split: 0.5, own: [partCount]float64{
		partConstant: 0.3, partLeakage: 0.3, partInstructions: 0.2, partCycles: 0.5,
		partRequests: 1, partFlat: 0.15,
	}}
	// guessedPrior is for any processor at all. Least is known of what is always on: it is a fifth
	// of a desktop part's power, and most of a large server's with few busy cores.
	guessedPrior = prior{scale: 0.6, split: 0.5, own: [partCount]float64{
		partConstant: 2, partLeakage: 0.6, partInstructions: 0.4, partCycles: 1,
		partRequests: 2, partFlat: 0.4,
	}}
)

func priorOf(m Model) *prior {
	if m.Guessed() {
		return &guessedPrior
	}
	return &statedPrior
}

// covariance returns the covariance of the sizes.
func (p *prior) covariance() (c [partCount][partCount]float64) {
	// the flat part's mean is nothing
	scale := [partCount]float64{p.scale, p.scale, p.scale, p.scale, p.scale, 0}
	split := [partCount]float64{partConstant: p.split,
		partLeakage: -p.split * constantShare / (1 - constantShare)}
	for i := range c {
		for j := range c {
			c[i][j] = float64(scale[i]*scale[j]) + float64(split[i]*split[j])
		}
		c[i][i] += p.own[i] * p.own[i]
	}
	return c
}

// Deviation returns the standard deviation of Energy of x, nJ. For the difference of two
// activities' features it is that of the difference of their energies: less than of either, because
// what they have in common falls out.
func (f *Fit) Deviation(x *Features) float64 {
	var v float64
	for i := range x {
		for j := range x {
			v += float64(f.cov[i][j] * float64(x[i]*x[j]))
		}
	}
	return math.Sqrt(max(v, 0))
}
