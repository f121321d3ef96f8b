package policy

import (
	"math"
)

// A price is the energy that a unit of time must save to be spent: nJ per ns, that is W. At a
// price, a quantum's work goes down from the highest state as long as the next step saves more than
// it costs. All quanta of a run at one price is the least energy for the time they take together:
// with unequal prices, time could be moved from where it saves little to where it saves much. (It
// is the multiplier of the budget in the Lagrangian of the run's energy.)
const (
	leastPrice      = 1.0 / 16 // W
	pricesPerOctave = 4
	priceSteps      = 20 * pricesPerOctave // up to 64 kW: a step that saves more is always worth it
)

// priceAt returns the price number k. Higher numbers are lower prices, so that what is spent rises
// with the number.
func priceAt(k int) float64 {
	return leastPrice * math.Exp2(float64(priceSteps-1-k)/pricesPerOctave)
}

// prices are the prices by number, logs their logarithms.
var prices, logs = func() (p, l [priceSteps]float64) {
	for k := range p {
		p[k] = priceAt(k)
		l[k] = math.Log(p[k])
	}
	return p, l
}()

// noTime is the extra time below which a step down counts as taking none, ns per ns.
const noTime = 1e-12

// spending is the extra time at each price, per ns at the highest frequency. The last place is for
// no price at all.
type spending [priceSteps + 1]float64

// at fills in the time that s spends at each price.
//
// States are points on a curve of energy over time. Its slope from one state to the next below is
// the saving of a unit of time there. Where slopes rise (the points are not convex) the steep one
// behind is not reached at a price that stops at the flat one before: the lesser slope counts for
// both. Between two slopes the time is a straight line over the logarithm of the price, so that
// spending is continuous, and a budget can be met exactly in the mean of many quanta.
func (out *spending) at(s *shape) {
	n := len(s.Extra) - 1
	from, upTo := s.Extra[n], s.Extra[n] // extra time of the step in progress
	high := math.Inf(1)                  // slope at which that step begins
	low := high
	var logHigh, logLow float64 // logarithms of the slopes; one for each step, not for each price
	i, least := n, s.Frugal()
	next := func() bool {
		// The next step down that takes time. Steps that take none and save energy are always worth
		// it.
		from, high, logHigh = upTo, low, logLow
		for i > least {
			i--
			dt := s.Extra[i] - upTo
			saved := s.Energy[i+1] - s.Energy[i]
			if dt <= noTime {
				continue
			}
			upTo = s.Extra[i]
			low = min(high, max(saved/dt, leastPrice/2))
			logLow = math.Log(low)
			return true
		}
		return false
	}
	more := next()
	for k := range prices {
		for more && prices[k] <= low {
			more = next()
		}
		switch {
		case !more:
			out[k] = upTo
		case math.IsInf(high, 1) || low >= high:
			// The first step: it comes in over one octave above its slope.
			w := 1 - float64((logs[k]-logLow)/math.Ln2)
			out[k] = from + (upTo-from)*min(max(w, 0), 1)
		default:
			w := (logHigh - logs[k]) / (logHigh - logLow)
			out[k] = from + (upTo-from)*min(max(w, 0), 1)
		}
	}
	out[priceSteps] = s.Extra[least]
}

// along returns the spending at a place between two prices.
func (out *spending) along(place float64) float64 {
	k := min(int(place), priceSteps-1)
	w := place - float64(k)
	return out[k] + float64(w*(out[k+1]-out[k]))
}

// pastSpending is the time that past quanta would have spent at each price. Older quanta count
// less.
type pastSpending struct {
	extra spending // sums, weighted by time: ns
	time  float64  // sum of the weights: time at the highest frequency, ns
}

// add enters work that takes time ns at the highest frequency. Earlier work counts less, by the
// factor keep.
func (p *pastSpending) add(s *spending, time, keep float64) {
	for k := range p.extra {
		p.extra[k] = float64(p.extra[k]*keep) + float64(s[k]*time)
	}
	p.time = float64(p.time*keep) + time
}

// stepFor returns the place among the prices at which share of the time is spent; the last place
// when it is not spent even without a price.
func (p *pastSpending) stepFor(share float64) float64 {
	want := share * p.time
	if p.extra[priceSteps] <= want {
		return priceSteps
	}
	if p.extra[0] >= want {
		return 0
	}
	lo, hi := 0, priceSteps // extra[lo] < want <= extra[hi]
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; p.extra[mid] < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return float64(lo) + (want-p.extra[lo])/(p.extra[hi]-p.extra[lo])
}
