package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// forecast lies between the last quantum's shape and the mean of the past: the more alike
// neighbouring quanta have been so far, the nearer to the last one.
type forecast struct {
	Now    shape // shape of the quantum entered last
	Coming shape // forecast of the coming quantum's shape

	states   states
	ask      []int   // indices of the states that predictions are asked for, ascending
	mean     shape   // mean shape of the past, weighted by time
	meanTime float64 // weight of mean: time at the highest frequency, ns
	// held is the time of the past's quanta in which nothing ran but a thread could; it counts less
	// with time, as mean does.
	held float64
	like likeness
}

// lookBack is the time constant with which the past is forgotten, in time at the highest frequency.
// Phases of most programs come again within it.
const lookBack = float64(2 * time.Second)

// newForecast makes a forecast that knows no quantum. With parts, its shapes have the energies'
// parts.
func newForecast(s states, parts bool) forecast {
	n := len(s)
	f := forecast{states: s, ask: asked(n), Now: newShape(n),
		mean: newShape(n), Coming: newShape(n)}
	if parts {
		for _, s := range []*shape{&f.Now, &f.mean, &f.Coming} {
			s.Parts = make([]power.Features, n)
		}
	}
	return f
}

// hold enters a quantum in which nothing ran but a thread could, and which is predicted to take
// longest ns at the highest frequency. Such waits belong to the work of the other quanta and get
// longer with it, and the processor draws power meanwhile.
func (f *forecast) hold(longest float64) { f.held += longest }

// waits returns the ratio of a quantum's time with its part of the waits to its time without them.
func (f *forecast) waits() float64 {
	if f.held <= 0 || f.meanTime <= 0 {
		return 1
	}
	return 1 + f.held/f.meanTime
}

// Add enters a quantum whose work is predicted to take longest ns at the highest frequency, and
// makes the forecast. The past now counts less than before, by the factor keep. It asks for at most
// eight predictions.
func (f *forecast) Add(
	q *Quantum, p Predictions, longest float64, fit *power.Fit,
) (keep float64) {
	f.read(q, p, longest, fit)
	keep = math.Exp(-longest / lookBack)
	f.held *= keep
	f.meanTime = float64(f.meanTime*keep) + longest
	f.mean.mix(&f.mean, &f.Now, longest/f.meanTime)
	// The extra time at the middle state stands for how strongly the quantum depends on frequency.
	f.like.add(f.Now.Extra[len(f.Now.Extra)/2], keep)
	f.Coming.mix(&f.mean, &f.Now, f.like.weight())
	return keep
}
