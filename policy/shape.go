package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// shape is what work takes and costs in each state, per ns that it takes at the highest frequency.
type shape struct {
	extra   []float64        // time beyond that at the highest frequency: T(f)/T(highest) - 1
	energy  []float64        // the processor's, in nJ, by the model
	metered []float64        // the same by what was learned of its meter
	parts   []power.Features // of the energies; nil where nobody asks
}

func newShape(n int) shape {
	return shape{extra: make([]float64, n), energy: make([]float64, n), metered: make([]float64, n)}
}

// mix sets s to the mixture of two shapes with the weight w of b.
func (s *shape) mix(a, b *shape, w float64) {
	for i := range s.extra {
		s.extra[i] = a.extra[i] + float64(w*(b.extra[i]-a.extra[i]))
		s.energy[i] = a.energy[i] + float64(w*(b.energy[i]-a.energy[i]))
		s.metered[i] = a.metered[i] + float64(w*(b.metered[i]-a.metered[i]))
	}
	for i := range s.parts {
		s.parts[i] = a.parts[i].Mix(&b.parts[i], w)
	}
}

// maxAsked bounds for how many states a prediction is asked for: a pass over a quantum's epochs
// each.
const maxAsked = 9

// asked are the indices of the states that predictions are asked for: all when there are few, else
// evenly spaced ones, the lowest and the highest among them.
func asked(n int) []int {
	k := min(n, maxAsked)
	out := make([]int, k)
	for i := range out {
		out[i] = i * (n - 1) / max(k-1, 1)
	}
	out[k-1] = n - 1
	return out
}

// read asks for predictions and fills in the shape. Between the states asked for the time is a
// straight line over 1/f, which is exact for one thread's time and above it where threads wait for
// each other. longest is the time at the highest state, which is known already.
func (s *shape) read(
	states states, ask []int, p Predicted, longest float64, q *Quantum, fit *power.Fit,
) {
	last := len(states) - 1
	s.extra[last] = 0
	for k := len(ask) - 2; k >= 0; k-- {
		lo, hi := ask[k], ask[k+1]
		// A lower frequency is never faster; where a model's predictions say so, it is their error.
		t := p.Duration(states[lo])
		if !usable(t) {
			t = longest * float64(states[last]) / float64(states[lo])
		}
		s.extra[lo] = max(t/longest-1, s.extra[hi])
		for i := lo + 1; i < hi; i++ {
			w := (1/float64(states[i]) - 1/float64(states[hi])) / (1/float64(states[lo]) - 1/float64(states[hi]))
			s.extra[i] = s.extra[hi] + float64(w*(s.extra[lo]-s.extra[hi]))
		}
	}
	idle := max(float64(q.Dur-q.Busy), 0)
	a := power.Activity{Instructions: float64(q.Instructions), Requests: float64(q.DRAMReads)}
	for i, f := range states {
		t := float64(longest * (1 + s.extra[i]))
		// Threads that wait for each other do so longer when these run longer.
		a.F, a.Dur = f, nanoseconds(t)
		a.CoreBusy = nanoseconds(float64(q.ThreadRun) * max(t-idle, 0) / float64(q.Busy))
		x := fit.Features(a)
		x.Scale(1 / longest)
		if s.parts != nil {
			s.parts[i] = x
		}
		s.energy[i], s.metered[i] = fit.Model(&x), fit.Energy(&x)
	}
}

func nanoseconds(t float64) time.Duration { return time.Duration(math.Round(t)) }

// slowest is the lowest state whose extra time is at most x, and no state below the one of least
// energy.
func (s *shape) slowest(x float64) int {
	least := s.frugal()
	for i := least; i < len(s.extra); i++ {
		if s.extra[i] <= x {
			return i
		}
	}
	return len(s.extra) - 1
}

// frugal is the state of least energy, the highest of several: by the meter, when there is one. A
// state below it costs more energy than it saves, whatever the budget allows.
//
// Prices stay the model's. They only say which of two quanta is the better one to slow down, and
// the ledger could not compare prices of a scale that changes while it is learned.
//
// Time that is lost must save some of the power at the highest state more than it costs: an
// estimate of energy errs by that much, and to be slower for nothing is worse than to save nothing.
func (s *shape) frugal() int {
	n := len(s.metered) - 1
	caution := cautious * s.metered[n]
	best, least := n, s.metered[n]
	for i := n - 1; i >= 0; i-- {
		if e := s.metered[i] + float64(caution*s.extra[i]); e < least {
			best, least = i, e
		}
	}
	return best
}

// cautious is the power that a lower state must save beyond what it costs, as a share of that at
// the highest.
const cautious = 0.15
