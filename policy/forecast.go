package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// forecast says what the coming quantum's work takes and costs in each state: something between the
// last quantum's shape and the mean of the past, as far as one quantum has said something of the
// next so far.
type forecast struct {
	ask               []int
	now, mean, coming shape
	meanTime          float64 // weight of mean, ns
	like              likeness
}

// lookBack is over what time at the highest frequency the past is forgotten. Phases of most
// programs come again within it.
const lookBack = float64(2 * time.Second)

func newForecast(s states) forecast {
	n := len(s)
	return forecast{ask: asked(n), now: newShape(n), mean: newShape(n), coming: newShape(n)}
}

// keepParts has the shapes keep the parts of their energies.
func (f *forecast) keepParts() {
	for _, s := range []*shape{&f.now, &f.mean, &f.coming} {
		s.parts = make([]power.Features, len(s.extra))
	}
}

// add enters the shape now, of work that takes longest ns at the highest frequency, and makes the
// one that is coming. It returns by what factor the past counts less than before.
func (f *forecast) add(longest float64) (keep float64) {
	keep = math.Exp(-longest / lookBack)
	f.meanTime = float64(f.meanTime*keep) + longest
	f.mean.mix(&f.mean, &f.now, longest/f.meanTime)
	// How strongly the quantum depends on frequency, in one number: the extra time at the middle
	// state.
	f.like.add(f.now.extra[len(f.now.extra)/2], keep)
	f.coming.mix(&f.mean, &f.now, f.like.weight())
	return keep
}
