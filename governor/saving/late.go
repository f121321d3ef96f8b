package saving

import (
	"math"
	"slices"
)

// sameWork is the standard deviation of the time of the same work, as far as counters show that it
// is, in a probe and beside it.
const sameWork = 0.02

// late returns the bias of the times predicted for the highest frequency, ln of actual over
// predicted, and its standard deviation: pairs that did the same work show it, by the instructions.
// Doubt is the deviation without them.
//
// A pair whose work was another after all is far off, hence the median.
func (p *pairs) late(doubt float64) (bias, deviation float64) {
	var seen []float64
	for i := range p.done {
		c := &p.done[i]
		if !c.alike {
			continue
		}
		is := c.top.highest.Time() / c.top.instructions
		was := c.low.highest.Time() / c.low.instructions
		if is > 0 && was > 0 {
			seen = append(seen, math.Log(is/was))
		}
	}
	if len(seen) == 0 || !(doubt > 0) {
		return 0, doubt
	}
	slices.Sort(seen)
	n := len(seen)
	middle := (seen[(n-1)/2] + seen[n/2]) / 2
	scatter := 0.0
	for _, y := range seen {
		scatter += math.Abs(y - middle)
	}
	// 1.25 mean absolute deviations are a standard deviation; the median's is 1.25 of the mean's.
	scatter = 1.25 * (scatter + sameWork/1.25*priorPairs) / float64(n+priorPairs)
	known := float64(n) / (1.25 * 1.25 * scatter * scatter)
	prior := 1 / (doubt * doubt)
	return middle * known / (known + prior), 1 / math.Sqrt(known+prior)
}
