package policy

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

const (
	ghz = units.Frequency(1_000_000_000)
	mhz = units.Frequency(1_000_000)
	ms  = time.Millisecond
)

var (
	steps500 = steps(500 * mhz) // 7 states
	steps125 = steps(125 * mhz) // 25 states
)

// steps are the states from 1 to 4 GHz.
func steps(by units.Frequency) (s []units.Frequency) {
	for f := ghz; f <= 4*ghz; f += by {
		s = append(s, f)
	}
	return s
}

// work is a quantum's work whose prediction is true: scaling, in ns at 4 GHz, and not, which idle
// is a part of.
type work struct {
	scaling, fixed float64
	calls          *int
}

func (w work) Duration(f units.Frequency) float64 {
	if w.calls != nil {
		*w.calls++
	}
	return float64(w.scaling*4e9/float64(f)) + w.fixed
}

// curve is a prediction by table.
type curve struct {
	states []units.Frequency
	t      []float64
	calls  *int
}

func (c curve) Duration(f units.Frequency) float64 {
	if c.calls != nil {
		*c.calls++
	}
	return c.t[slices.Index(c.states, f)]
}

// busy is a quantum that ran from end to end.
func busy(dur time.Duration) Quantum { return Quantum{Dur: dur, Busy: dur, ThreadRun: dur} }

func newBudget(t testing.TB, c BudgetConfig) *Budget {
	t.Helper()
	b, err := NewBudget(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// randomStates are 1 to 40 ascending frequencies, with neighbours at most a factor of 1.6 apart.
func randomStates(rng *rand.Rand) []units.Frequency {
	s := []units.Frequency{ghz/2 + units.Frequency(rng.Int64N(int64(ghz)))}
	for range rng.IntN(40) {
		s = append(s, units.Frequency(float64(s[len(s)-1])*(1.01+rng.Float64()*0.59)))
	}
	return s
}

// randomCurve falls with frequency, in places not at all. Its last duration is longest, at most.
func randomCurve(rng *rand.Rand, states []units.Frequency, longest float64, calls *int) curve {
	c := curve{states, make([]float64, len(states)), calls}
	t := longest
	for i := len(states) - 1; i >= 0; i-- {
		c.t[i] = t
		if rng.IntN(4) > 0 {
			t *= 1 + rng.Float64()*rng.Float64()*0.2
		}
	}
	return c
}
