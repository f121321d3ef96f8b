package governor

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/learning"
	"github.com/ebb-energy/ebb/units"
)

const (
	// waits is the standard deviation of what the threads' waits for each other add to a lean, per
	// ln of frequency. What the anchor learns is of running time; with it waits change too, and by
	// how much they were mispredicted a program's own ups and downs hide. On the simulated programs
	// it is 0.02 to 0.03.
	waits = 0.025
	// doubtful is by how many standard deviations a lean to too much predicted slowdown must exceed
	// nothing to be corrected. That there is less slowdown than predicted is believed only as far
	// as it is rather certain: the promise is the budget.
	doubtful = 0.7
)

// believed is what of a lean over the distance d is corrected.
func believed(lean, deviation, d float64) float64 {
	return max(lean, min(lean+doubtful*math.Hypot(deviation, waits*d), 0))
}

// corrected is the predictor's view of a quantum with what predictions were found to lean by taken
// off. A prediction is kept between the measured time and what it would be if all of it scaled.
type corrected struct {
	p                    *predictor.Predictor
	anchor               *learning.Anchor // nil for predictions as they are
	base, idle, measured float64
	highest, top         units.Frequency // the highest state, and what it delivers
}

// Duration implements policy.Predicted. States are taken for what they deliver: none is faster than
// the highest.
func (c *corrected) Duration(f units.Frequency) float64 {
	if f >= c.highest || f > c.top {
		f = c.top
	}
	return c.at(f)
}

// at is the duration at a clock.
func (c *corrected) at(f units.Frequency) float64 {
	t := c.p.Duration(f)
	if c.anchor == nil || !(t > 0) {
		return t
	}
	busy, all := t-c.idle, c.measured-c.idle
	if !(busy > 0 && all > 0) {
		return t
	}
	r := float64(f) / c.base
	d := math.Log(r)
	lean, deviation := c.anchor.Bias(d, math.Log(all/busy))
	if r >= 1 {
		busy *= math.Exp(-believed(lean, deviation, d))
		return c.idle + min(max(busy, all/r), all)
	}
	busy *= math.Exp(believed(-lean, deviation, d))
	return c.idle + min(max(busy, all), all/r)
}

// advance is by how much the quantum moves the program on at the highest state: predictor.Advance,
// corrected as Duration is.
func (c *corrected) advance() float64 {
	whole, alone := c.p.Advance(c.top)-c.idle, c.p.Duration(c.top)-c.idle
	if !(alone > 0) {
		return whole + c.idle
	}
	return c.idle + float64(whole*((c.at(c.top)-c.idle)/alone))
}

// view corrects predictions for the quantum.
func (h *hindsight) view(t *tally, p *predictor.Predictor, highest, top units.Frequency) corrected {
	c := corrected{p: p, base: t.base(), idle: float64(t.Dur - t.Busy),
		measured: float64(p.Measured()), highest: highest, top: top}
	if h.on {
		c.anchor = &h.anchor
	}
	return c
}
