package policy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomShape falls in energy at random from the highest state down, in places not at all.
func randomShape(rng *rand.Rand, n int) shape {
	s := newShape(n)
	e, t := 20+40*rng.Float64(), 0.0
	for i := n - 1; i >= 0; i-- {
		s.Extra[i], s.Energy[i] = t, e
		s.Metered[i] = e
		t += 0.001 + 0.05*rng.Float64()
		e -= (rng.Float64() - 0.2) * 2
	}
	return s
}

// dearest is spending again, by trying every state: at a price, the one with the least of energy
// and priced time. It returns its extra time and that of the state below, between which spending
// may lie: the dumb one has no straight lines.
func dearest(s *shape, price float64) (from, upTo float64) {
	n := len(s.Extra) - 1
	best, least := n, math.Inf(1)
	for i := s.Frugal(); i <= n; i++ {
		if c := s.Energy[i] + price*s.Extra[i]; c < least {
			best, least = i, c
		}
	}
	return s.Extra[best], s.Extra[max(best-1, s.Frugal())]
}

// convex says whether each step down saves no more per time than the one above.
func convex(s *shape) bool {
	for i := 2; i < len(s.Energy); i++ {
		below := (s.Energy[i-1] - s.Energy[i-2]) / (s.Extra[i-2] - s.Extra[i-1])
		above := (s.Energy[i] - s.Energy[i-1]) / (s.Extra[i-1] - s.Extra[i])
		if below > above {
			return false
		}
	}
	return true
}

// TestSpendingRisesAsThePriceFalls: the time spent rises as the price falls, from zero to that of
// the state of least energy. Where steps are convex it lies between the state that the dumb one
// takes and the one below.
func TestSpendingRisesAsThePriceFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	agreed, between := 0, 0
	for run := range 3000 {
		s := randomShape(rng, 2+rng.IntN(6))
		var out spending
		out.at(&s)
		for k := range out {
			if k > 0 && out[k] < out[k-1]-1e-12 {
				t.Fatalf("run %d: spends %v at a price and %v at a lower one", run, out[k-1],
					out[k])
			}
		}
		if out[0] != 0 {
			t.Fatalf("run %d: spends %v at the highest price", run, out[0])
		}
		if want := s.Extra[s.Frugal()]; out[priceSteps] != want {
			t.Fatalf("run %d: spends %v without a price, least energy is at %v", run,
				out[priceSteps], want)
		}
		if !convex(&s) {
			continue
		}
		for k, price := range prices {
			from, upTo := dearest(&s, price)
			if out[k] < from-1e-9 || out[k] > upTo+1e-9 {
				t.Fatalf("run %d: spends %v at %v W, the dumb one %v, or %v a state below", run,
					out[k], price, from, upTo)
			}
			if agreed++; from < upTo {
				between++
			}
		}
	}
	if agreed < 10000 || between < 1000 {
		t.Errorf("compared at %d prices only, %d of them between two states", agreed, between)
	}
}

// TestLedgerSpendsTheShareAskedFor: at the step that is found, the quanta spend the share asked
// for.
func TestLedgerSpendsTheShareAskedFor(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 0))
	for run := range 300 {
		var l pastSpending
		var shapes []shape
		var times []float64
		for range 1 + rng.IntN(20) {
			s := randomShape(rng, 25)
			var out spending
			out.at(&s)
			time := 1e6 + 5e6*rng.Float64()
			l.add(&out, time, 1)
			shapes, times = append(shapes, s), append(times, time)
		}
		share := 0.1 * rng.Float64()
		place := l.stepFor(share)
		var spent, all, most float64
		for i := range shapes {
			var out spending
			out.at(&shapes[i])
			spent += times[i] * out.along(place)
			most += times[i] * out[priceSteps]
			all += times[i]
		}
		if want := min(share*all, most); math.Abs(spent-want) > 1e-6*all {
			t.Fatalf("run %d: %v of %v spent at place %v, want %v", run, spent, all, place, want)
		}
	}
	var l pastSpending
	if l.stepFor(0.05) != priceSteps {
		t.Error("no past spending has a price")
	}
}
