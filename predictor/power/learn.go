package power

import "github.com/ebb-energy/ebb/units"

const (
	readingDeviation = 0.03 // standard deviation of a reading, as a share of it
	minWindowEnergy  = 1e3  // nJ by the model; a window with less is not learned from
	trialWindows     = 3    // the first windows, which may show that the model is far off
	// maxMiss is the square of the number of standard deviations by which a reading may miss. A
	// reading beyond it is refused, but not maxRefusals in a row: then the meter is right.
	maxMiss     = 25
	maxRefusals = 5
	// forgetting is the variance that each window adds to each size: a die warms up.
	forgetting = 1e-6
)

// The meters. Each is named after the parts of the processor that it reads.
const (
	wholePackage = iota
	besideCores  // the package without its cores
	coresAlone
	meterCount
)

// Learn enters a window: the features of its activity, and the energies that the meters showed. The
// cores' energy is 0 where they have no meter.
func (f *Fit) Learn(x *Features, processor, cores units.Energy) {
	learned := false
	if cores > 0 && cores < processor {
		beside, inCores := *x, *x
		inCores[partConstant], inCores[partRequests] = 0, 0
		beside = beside.Minus(&inCores)
		// The difference of two readings errs by as much as the larger one.
		learned = f.learn(besideCores, &beside, processor-cores, processor)
		learned = f.learn(coresAlone, &inCores, cores, cores) || learned
	} else {
		learned = f.learn(wholePackage, x, processor, processor)
	}
	if learned {
		f.fitted++
	}
}

// learn enters the energy that one meter showed. Its standard deviation is readingDeviation of off.
// It reports whether the reading was believed.
func (f *Fit) learn(meter int, x *Features, metered, off units.Energy) bool {
	var scale float64
	for i := range partFlat {
		scale += x[i]
	}
	if !(scale > minWindowEnergy) || !(metered > 0) {
		return false
	}
	var s [partCount]float64
	y := float64(metered) / scale
	for i := range x {
		s[i] = x[i] / scale
		y -= float64(f.size[i] * s[i])
	}
	noise := readingDeviation * float64(off) / scale
	noise *= noise
	p, known := f.spread(&s)
	switch miss := y * y / (known + noise); {
	case f.fitted < trialWindows && miss > 1:
		// The model fits this processor worse than its prior says: all of its parts may be as far
		// off.
		f.widen(miss)
		p, known = f.spread(&s)
	case miss > maxMiss:
		if f.refused[meter]++; f.refused[meter] < maxRefusals {
			return false // the meter stood still, or something else ran
		}
		f.cov = priorOf(f.model).covariance() // what was learned no longer holds
		p, known = f.spread(&s)
	}
	f.refused[meter] = 0
	spread := known + noise
	for i := range p {
		f.size[i] += float64(p[i] / spread * y)
		for j := range p {
			f.cov[i][j] -= float64(p[i] / spread * p[j])
		}
		f.cov[i][i] += forgetting
	}
	f.bound()
	return true
}

// spread returns the covariance of the sizes with the energy of s, and that energy's variance.
func (f *Fit) spread(s *[partCount]float64) (p [partCount]float64, variance float64) {
	for i := range p {
		for j := range s {
			p[i] += float64(f.cov[i][j] * s[j])
		}
		variance += float64(s[i] * p[i])
	}
	return p, variance
}

// widen makes all sizes less certain: their variances grow by the factor by.
func (f *Fit) widen(by float64) {
	for i := range f.cov {
		for j := range f.cov[i] {
			f.cov[i][j] *= by
		}
	}
}

// Fitted returns the number of windows learned from.
func (f *Fit) Fitted() int { return f.fitted }
