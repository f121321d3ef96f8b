package power

// Features are the parts' energies by the model, in nJ; they add up over stretches.
type Features [partCount]float64

// Add adds o.
func (x *Features) Add(o *Features) {
	for i := range x {
		x[i] += o[i]
	}
}

// Minus returns the difference of x and o.
func (x *Features) Minus(o *Features) (d Features) {
	for i := range x {
		d[i] = x[i] - o[i]
	}
	return d
}

// Scale turns them into the features of by times the activity.
func (x *Features) Scale(by float64) {
	for i := range x {
		x[i] *= by
	}
}

// Mix returns the mixture with o, which has the weight w.
func (x *Features) Mix(o *Features, w float64) (m Features) {
	for i := range x {
		m[i] = x[i] + float64(w*(o[i]-x[i]))
	}
	return m
}

// Time returns the time that the activity takes, in some unit; 0 by a model without static power.
func (x *Features) Time() float64 { return x[partConstant] }
