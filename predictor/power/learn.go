package power

import "github.com/ebb-energy/ebb/units"

const (
	meterDeviation    = 0.03 // of a reading, relative
	leastWindowEnergy = 1e3  // nJ
	firstWindows      = 3    // in which the model is on trial
	leastSize         = 0.2  // of a part, relative to the model's
	mostRefused       = 5    // a meter that shows so often what can not be is right
)

// What a meter's reading is of.
const (
	wholePackage = iota
	besideCores  // the package without its cores
	coresAlone
	meters
)

// Learn enters a window: the features of what was done in it, and the energies that the meters
// showed. That of the cores is 0 where they have no meter.
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

// learn enters what one meter showed, of which off may be wrong by meterDeviation. It returns
// whether that was believed.
func (f *Fit) learn(meter int, x *Features, metered, off units.Energy) bool {
	var scale float64
	for i := range partFlat {
		scale += x[i]
	}
	if !(scale > leastWindowEnergy) || !(metered > 0) {
		return false
	}
	var s [parts]float64
	y := float64(metered) / scale
	for i := range x {
		s[i] = x[i] / scale
		y -= float64(f.size[i] * s[i])
	}
	noise := meterDeviation * float64(off) / scale
	noise *= noise
	p, known := f.spread(&s)
	switch miss := y * y / (known + noise); {
	case f.fitted < firstWindows && miss > 1:
		// The model says less of this processor than was thought: everything in it may be as far
		// off.
		f.widen(miss)
		p, known = f.spread(&s)
	case miss > 25:
		if f.refused[meter]++; f.refused[meter] < mostRefused {
			return false // the meter stood still, or something else ran
		}
		f.cov = priorOf(f.model).covariance() // what was learned is not what it is like now
		p, known = f.spread(&s)
	}
	f.refused[meter] = 0
	spread := known + noise
	for i := range p {
		f.size[i] += float64(p[i] / spread * y)
		for j := range p {
			f.cov[i][j] -= float64(p[i] / spread * p[j])
		}
		f.cov[i][i] += 1e-6 // a little forgetting: a die warms up
	}
	f.bound()
	return true
}

// bound keeps the parts from drawing less than leastSize: a processor that draws much less than the
// model draws less of all, where the prior, which is as wide above as below, would have the least
// certain part below nothing. What one has more then, others have less, as far as they were learned
// as a sum.
func (f *Fit) bound() {
	for i := range partFlat {
		if short := leastSize - f.size[i]; short > 0 {
			each := short / f.cov[i][i]
			for j := range f.size {
				f.size[j] += float64(f.cov[i][j] * each)
			}
		}
	}
}

// spread is the covariance of the sizes with the energy of s, and that energy's variance.
func (f *Fit) spread(s *[parts]float64) (p [parts]float64, variance float64) {
	for i := range p {
		for j := range s {
			p[i] += float64(f.cov[i][j] * s[j])
		}
		variance += float64(s[i] * p[i])
	}
	return p, variance
}

// widen makes all sizes that much less certain: their variances grow by the factor by.
func (f *Fit) widen(by float64) {
	for i := range f.cov {
		for j := range f.cov[i] {
			f.cov[i][j] *= by
		}
	}
}

// Fitted is how many windows were learned from.
func (f *Fit) Fitted() int { return f.fitted }
