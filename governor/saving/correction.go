package saving

import "math"

// correction is the model's misjudgement of the energy at the highest frequency against that below,
// as a straight line over what may explain it. It is a Bayesian regression on the pairs.
type correction struct {
	mean [terms]float64
	cov  [terms][terms]float64
	// tails is the width of an interval of 90 %, as a multiple of its width with a known scatter.
	tails float64
}

// The terms of the line. A comment has the quantity that the term multiplies.
const (
	always    = iota // 1
	withSaved        // the saving by the model: a wrong shape misjudges long ways more
	withMiss         // the miss below: see missCarries
	terms
)

const (
	// alwaysDeviation is the standard deviation of a misjudgement that is the same everywhere.
	alwaysDeviation = 0.1
	// shapeDeviation is the standard deviation of a saving, as a share of it, because the model's
	// shape is not the processor's: knees of the voltage, the constant part.
	shapeDeviation = 0.3
	// missCarries is the part of a miss below that the model does not repeat at the highest
	// frequency, negative. Where a kind of work costs more than others, it does so at both. Where
	// the model does not fit a frequency, the miss stays there. Nobody knows which is the case,
	// hence half, and as much doubt.
	missCarries, missDeviation = -0.5, 0.5
	// pairDeviation is what a pair is expected to scatter by before many have shown it, and counts
	// as priorPairs of them.
	pairDeviation, priorPairs = 0.03, 3
)

// correct learns the line from what pairs showed.
func correct(seen []observation) correction {
	scatter := pairDeviation * pairDeviation
	c := fitted(seen, scatter)
	if n := float64(len(seen)); n > 0 {
		var squares float64
		for i := range seen {
			d := seen[i].miss - c.at(seen[i].terms())
			squares += d * d
		}
		scatter = (squares + priorPairs*scatter) / (n + priorPairs)
		c = fitted(seen, scatter)
		c.tails = student(n+priorPairs-1) / z90
	}
	return c
}

// student returns the quantile of 95 % of Student's distribution with that many degrees of freedom,
// by the expansion of Fisher and Cornish; within 1 % from 4 on, 2 % from 3 on.
func student(freedom float64) float64 {
	const z3, z5 = z90 * z90 * z90, z90 * z90 * z90 * z90 * z90
	return z90 + (z3+z90)/4/freedom + (5*z5+16*z3+3*z90)/96/(freedom*freedom)
}

// fitted returns the line by pairs whose variance is scatter.
func fitted(seen []observation, scatter float64) correction {
	c := correction{mean: [terms]float64{withMiss: missCarries}, tails: 1}
	for i, d := range [terms]float64{alwaysDeviation, shapeDeviation, missDeviation} {
		c.cov[i][i] = d * d
	}
	for i := range seen {
		z := seen[i].terms()
		var p [terms]float64
		spread := scatter
		for j := range p {
			for k := range z {
				p[j] += c.cov[j][k] * z[k]
			}
			spread += z[j] * p[j]
		}
		off := (seen[i].miss - c.at(z)) / spread
		for j := range p {
			c.mean[j] += p[j] * off
			for k := range p {
				c.cov[j][k] -= p[j] * p[k] / spread
			}
		}
	}
	return c
}

func (o *observation) terms() [terms]float64 { return [terms]float64{1, o.saved, o.lowMiss} }

// at returns the line's value.
func (c *correction) at(z [terms]float64) (v float64) {
	for i := range z {
		v += c.mean[i] * z[i]
	}
	return v
}

// deviation returns the standard deviation of the line's mean over many places, whose mean is z, so
// that z90 of it are an interval of 90 %.
func (c *correction) deviation(z [terms]float64) float64 {
	var v float64
	for i := range z {
		for j := range z {
			v += z[i] * c.cov[i][j] * z[j]
		}
	}
	return c.tails * math.Sqrt(max(v, 0))
}
