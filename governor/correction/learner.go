package correction

import (
	"math"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// learner learns where in its bracket the non-scaling time of each phase lies, while the program
// runs and the frequency changes.
//
// From a stretch at the frequency fa, one of the same phase at fb and a third at fa again (A-B-A:
// what drifts steadily cancels) the non-scaling time per unit of work follows without any counter:
//
//	N = (fb tb - fa ta) / (fb - fa)
//
// and (N - lo) over (hi - lo) is the place in the bracket. Recursive least squares weigh these
// observations: the closer the two frequencies, the less one counts. Observations beyond three
// standard deviations are dropped: there the work was not the same.
//
// The learned place is used only while it has predicted better than the midpoint. Both predict
// every step of the frequency within a phase, and their errors are averaged over about 16 steps;
// the learned one must be ahead. So it loses to the midpoint by at most what it lost in the steps
// that showed it: no more than Margin times a step's error in the mean (see TestGate).
//
// It is deterministic, and not safe for concurrent use.
type learner struct {
	phases map[Signature]*phase
	last   []Sample // the last two stretches, of one phase
}

// margin bounds the excess of a gated alpha's mean error over the midpoint's, as a share of the
// latter.
const margin = 0.1

// sampleNoise is the standard deviation of a stretch's time per work that is not frequency, as a
// share of it.
const sampleNoise = 0.02

// forget is the weight of the newest step in the averaged errors.
const forget = 1.0 / 16

// phase is the learned state of one phase.
type phase struct {
	alpha, variance float64
	steps           int
	learned, middle float64 // averaged errors of predicting the next step
}

// maxPhases bounds the memory. Beyond it new phases are not learned.
const maxPhases = 1024

// Sample is a stretch of a program, of one phase and at one frequency, per unit of work (say, an
// instruction).
type Sample struct {
	Phase Signature
	predictor.Sample
}

// newLearner returns a learner that knows nothing: every alpha is the midpoint.
func newLearner() *learner { return &learner{phases: map[Signature]*phase{}} }

// learned returns the place in the bracket for a phase, and whether it was learned. If not it is
// the middle.
func (l *learner) learned(s Signature) (alpha float64, learned bool) {
	p := l.phases[s]
	if p == nil || p.steps < 2 || p.learned >= p.middle {
		return nonscaling.Midpoint, false
	}
	return p.alpha, true
}

// Add takes the next stretch in time.
func (l *learner) Add(s Sample) {
	if !(s.Time > 0 && s.Frequency > 0 && s.Hi >= s.Lo && s.Lo >= 0) {
		l.last = l.last[:0]
		return
	}
	if n := len(l.last); n > 0 && l.last[n-1].Phase != s.Phase {
		l.last = l.last[:0] // another phase: the stretches are no neighbours
	}
	p := l.phases[s.Phase]
	if p == nil {
		if len(l.phases) >= maxPhases {
			return
		}
		p = &phase{alpha: nonscaling.Midpoint, variance: 0.25}
		l.phases[s.Phase] = p
	}
	if n := len(l.last); n > 0 && apart(l.last[n-1].Frequency, s.Frequency) {
		p.step(&l.last[n-1], &s)
	}
	if len(l.last) == 2 {
		p.learn(&l.last[0], &l.last[1], &s)
		l.last[0] = l.last[1]
		l.last = l.last[:1]
	}
	l.last = append(l.last, s)
}

// apart reports whether two frequencies differ by enough to learn from, 10 %.
func apart(f, g float64) bool { return math.Abs(f-g) >= 0.1*max(f, g) }

// step compares what either place would have predicted.
func (p *phase) step(from, to *Sample) {
	miss := func(a float64) float64 {
		return math.Abs(math.Log(from.At(to.Frequency, a) / to.Time))
	}
	w := max(forget, 1/float64(p.steps+1))
	p.learned += w * (miss(p.alpha) - p.learned)
	p.middle += w * (miss(nonscaling.Midpoint) - p.middle)
	p.steps++
}

// learn takes an A-B-A triple.
func (p *phase) learn(a, b, c *Sample) {
	if math.Abs(a.Frequency-c.Frequency) > 0.02*a.Frequency || !apart(a.Frequency, b.Frequency) {
		return
	}
	// Delivered frequencies are never quite equal: the small difference is predicted.
	fa, fb := a.Frequency, b.Frequency
	ta := (a.Time + c.At(fa, p.alpha)) / 2
	n := (fb*b.Time - fa*ta) / (fb - fa)
	lo := (a.Lo+c.Lo)/4 + b.Lo/2
	x := (a.Hi+c.Hi)/4 + b.Hi/2 - lo
	if !(x > 0) {
		return
	}
	sigma := sampleNoise * (fb*b.Time + fa*ta) / math.Abs(fb-fa)
	innovation := n - lo - p.alpha*x
	spread := p.variance*x*x + sigma*sigma
	if innovation*innovation > 9*spread {
		return
	}
	gain := p.variance * x / spread
	p.alpha = min(max(p.alpha+gain*innovation, 0), 1)
	p.variance = (1-gain*x)*p.variance + 1e-4 // a little forgetting: phases age
}
