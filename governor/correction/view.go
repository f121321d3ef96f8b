package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// View is the predictor's view of a quantum with the known bias taken off. A prediction is kept
// between the measured time and the time if all of it scaled.
type View struct {
	predictor *predictor.Predictor
	corrector *Corrector // nil where predictions stay as they are
	own       *residual  // that of the quantum's phase; nil where there is none
	waits     float64    // as Corrector.waits
	taken     taken      // as Corrector.taken
	base      float64    // Hz, as Quantum.Base
	idle      float64    // time in which no thread could run, ns, which no clock changes
	measured  float64    // ns
	waited    bool       // part of the time was a wait for a CPU, at the pace of quanta before
	reach     Range
}

// View corrects predictions for the quantum. P holds its epochs until the View is no longer used.
func (c *Corrector) View(q *Quantum, p *predictor.Predictor, r *Range) View {
	v := View{predictor: p, base: q.Base, idle: q.idle(),
		measured: float64(p.Measured()), waited: q.Waited > 0, reach: *r}
	if c.learns {
		v.corrector, v.own, v.waits, v.taken = c, c.residualOf(q, p), c.waits(q), c.taken(q)
	}
	return v
}

// Duration implements policy.Predictions: the predicted duration of the quantum's work at the state
// f, in ns. A state counts as the clock that it delivers: none is faster than the highest.
func (v *View) Duration(f units.Frequency) float64 {
	if f >= v.reach.Highest || f > v.reach.Reach {
		f = v.reach.Reach
	}
	return v.At(f)
}

// At returns the predicted duration at the clock f, whether there is such a state or not, in ns.
func (v *View) At(f units.Frequency) float64 { return v.at(f, v.taken) }

// Even returns a duration at the highest state, as Advance has it, without the caution of a budget:
// with all of the known bias taken off, whichever way it goes.
func (v *View) Even(advance float64) float64 {
	top := v.reach.Reach
	cautious := v.At(top) - v.idle
	if !(cautious > 0) {
		return advance
	}
	all := func(bias, _, _ float64) float64 { return bias }
	return v.idle + float64((advance-v.idle)*((v.at(top, all)-v.idle)/cautious))
}

// at returns At with another part of the bias taken off: the part that it returns for the bias,
// its standard deviation and that of the waits' part.
func (v *View) at(f units.Frequency, part taken) float64 {
	t := v.predictor.Duration(f)
	if v.corrector == nil || !(t > 0) {
		return t
	}
	busy, all := t-v.idle, v.measured-v.idle
	if !(busy > 0 && all > 0) {
		return t
	}
	if v.waited { // the pace may be of another clock, so the measured time is no bound
		d := math.Log(float64(f) / v.base)
		bias, deviation := v.corrector.biasOf(v.own, d, math.Log(all/busy))
		if d >= 0 {
			return v.idle + busy*math.Exp(-part(bias, deviation, v.waits*d))
		}
		return v.idle + busy*math.Exp(part(-bias, deviation, v.waits*d))
	}
	r := float64(f) / v.base
	d := math.Log(r)
	bias, deviation := v.corrector.biasOf(v.own, d, math.Log(all/busy))
	if r >= 1 {
		busy *= math.Exp(-part(bias, deviation, v.waits*d))
		return v.idle + min(max(busy, all/r), all)
	}
	busy *= math.Exp(part(-bias, deviation, v.waits*d))
	return v.idle + min(max(busy, all), all/r)
}

// Lost returns the time, in ns, by which the quantum's work takes longer at the clock that the
// highest state delivers than at the one it stands for.
func (v *View) Lost() float64 { return max(v.At(v.reach.Reach)-v.At(v.reach.Highest), 0) }

// Advance returns the time by which the quantum moves the program on at the highest state, in ns:
// predictor.Predictor.Advance, corrected as Duration is. Like that, it is called once a quantum.
func (v *View) Advance() float64 {
	top := v.reach.Reach
	whole, alone := v.predictor.Advance(top)-v.idle, v.predictor.Duration(top)-v.idle
	if !(alone > 0) {
		return whole + v.idle
	}
	return v.idle + float64(whole*((v.At(top)-v.idle)/alone))
}
