package policy

import "github.com/ebb-energy/ebb/predictor/power"

// shape is the time and energy of work in each state, per ns that it takes at the highest
// frequency.
type shape struct {
	Extra   []float64        // time beyond that at the highest frequency: T(f)/T(highest) - 1
	Energy  []float64        // energy of the processor by the model, nJ
	Metered []float64        // the energy as its meter shows it, by what was learned, nJ
	Parts   []power.Features // parts of the energies; nil unless the forecast keeps them
}

// newShape returns the shape of no work, for n states.
func newShape(n int) shape {
	return shape{Extra: make([]float64, n), Energy: make([]float64, n), Metered: make([]float64, n)}
}

// mix sets s to the mixture of two shapes with the weight w of b.
func (s *shape) mix(a, b *shape, w float64) {
	for i := range s.Extra {
		s.Extra[i] = a.Extra[i] + float64(w*(b.Extra[i]-a.Extra[i]))
		s.Energy[i] = a.Energy[i] + float64(w*(b.Energy[i]-a.Energy[i]))
		s.Metered[i] = a.Metered[i] + float64(w*(b.Metered[i]-a.Metered[i]))
	}
	for i := range s.Parts {
		s.Parts[i] = a.Parts[i].Mix(&b.Parts[i], w)
	}
}

// Slowest returns the lowest state whose extra time is at most x, and no state below Frugal.
func (s *shape) Slowest(x float64) int {
	least := s.Frugal()
	for i := least; i < len(s.Extra); i++ {
		if s.Extra[i] <= x {
			return i
		}
	}
	return len(s.Extra) - 1
}

// delayCost is the price of lost time in Frugal, as a share of the power at the highest state.
const delayCost = 0.15

// Frugal returns the state of least energy, the highest of several: by the meter, when there is
// one. A state below it costs more energy than it saves, whatever the budget allows.
//
// Lost time counts as energy, too (delayCost): estimates of energy err by about that much, and to
// be slower for nothing is worse than to save nothing.
//
// Prices (of an Allotment) stay the model's. They only say which of two quanta is the better one
// to slow down, and past spending could not compare prices of a scale that changes while it is
// learned.
func (s *shape) Frugal() int {
	n := len(s.Metered) - 1
	delay := delayCost * s.Metered[n]
	best, least := n, s.Metered[n]
	for i := n - 1; i >= 0; i-- {
		if e := s.Metered[i] + float64(delay*s.Extra[i]); e < least {
			best, least = i, e
		}
	}
	return best
}
