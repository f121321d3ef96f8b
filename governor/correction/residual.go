package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
)

// residual is what is left of the bias of predictions in one phase of a program, in ln of time per
// ln of frequency, beside the bias of all work that the anchor finds.
//
// Work of one kind errs otherwise than work of another: at a low clock a core hides latency behind
// computing that it does not hide at a high one, as far as there is anything to compute. One bias
// for all is right in the mean of what was compared, and a governor that has a price for time
// chooses low clocks just where too little slowdown is predicted. So the budget would pay for the
// phases whose predictions err most, however right the mean is.
//
// Only stretches at nearly the highest frequency teach it, beside those right before and after.
// They show what a prediction to there has missed, whatever the bias is between two lower ones.
type residual struct {
	size, variance float64
	probes         int  // number of quanta so far that Probe asked for in this phase
	teachable      bool // the stretches compared now show what work takes at the highest frequency
}

// priorResidual is the standard deviation of a residual over the phases of programs.
const priorResidual = 0.05

// unlearned returns the residual of a phase that was never compared.
func unlearned() *residual { return &residual{variance: priorResidual * priorResidual} }

// learn enters what the anchor did not expect of two stretches whose distances differ by d: r,
// which has the variance spread. However long it learns nothing, no more is unknown than at first.
func (x *residual) learn(d, r, spread float64) {
	gain := float64(x.variance*d) / spread
	x.size += float64(gain * r)
	x.variance = min(float64(x.variance*(1-float64(gain*d)))+drift*drift,
		priorResidual*priorResidual)
}

// residualOf returns the residual of the phase of a quantum whose epochs p has; nil where phases
// have none.
func (c *Corrector) residualOf(q *Quantum, p *predictor.Predictor) *residual {
	if !c.byPhase || q.Instructions == 0 || q.Busy <= 0 {
		return nil
	}
	return c.residual(c.phaseOf(q, p))
}

// phaseOf returns the signature of a quantum whose epochs p has. Where nobody counts requests to
// memory, the time per instruction that does not scale stands for them: it depends on frequency as
// far as predictions err, which is less than phases differ by.
func (c *Corrector) phaseOf(q *Quantum, p *predictor.Predictor) Signature {
	if !c.byPhase || q.DRAMReads > 0 {
		return q.phase()
	}
	s := p.Sample()
	return signatureOf((s.Lo+float64(p.Alpha()*(s.Hi-s.Lo)))/float64(q.Instructions),
		float64(q.ThreadRun)/float64(q.Busy))
}

// residual returns a phase's residual. Beyond a number of phases, new ones have none of their own.
func (c *Corrector) residual(s Signature) *residual {
	x := c.phases[s]
	if x == nil {
		x = unlearned()
		if len(c.phases) < maxPhases {
			c.phases[s] = x
		}
	}
	return x
}

// biasOf returns the bias of a prediction over the distance d that changes the time by a part of
// it, and its standard deviation, with the residual of the phase.
func (c *Corrector) biasOf(own *residual, d, change float64) (bias, deviation float64) {
	bias, deviation = c.anchor.bias(d, change)
	if own != nil {
		bias += float64(own.size * d)
		deviation = math.Hypot(deviation, math.Sqrt(own.variance)*d)
	}
	return bias, deviation
}
