package power

// Features are the parts' energies by the model, in nJ; they add up over stretches.
type Features [partCount]float64

// Add adds o.
func (f *Features) Add(o *Features) {
	for i := range f {
		f[i] += o[i]
	}
}

// Minus returns the difference of f and o.
func (f *Features) Minus(o *Features) (d Features) {
	for i := range f {
		d[i] = f[i] - o[i]
	}
	return d
}

// Scale turns them into the features of by times the activity.
func (f *Features) Scale(by float64) {
	for i := range f {
		f[i] *= by
	}
}

// Mix returns the mixture with o, which has the weight w.
func (f *Features) Mix(o *Features, w float64) (m Features) {
	for i := range f {
		m[i] = f[i] + float64(w*(o[i]-f[i]))
	}
	return m
}

// Time returns the time that the activity takes, in some unit; 0 by a model without static power.
func (f *Features) Time() float64 { return f[partConstant] }
