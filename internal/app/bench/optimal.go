package bench

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/tolerance"
)

// omission is the chance that optimum.possible lacks the true optimum. One half is the chance to
// exclude it as over the budget, the other to exclude it as costing more than another.
const omission = 1 - confidence

// series has the time and energy of a static setting, as logarithms of their ratios to the highest
// frequency's, one per round.
type series struct {
	time, energy []float64
}

// optimum is the static frequency with the least energy within a budget, as the rounds show it.
// Settings are indexes.
type optimum struct {
	best     int   // setting chosen by all rounds
	possible []int // settings that may be the true optimum, best among them, in the settings' order
	// choice is, for each round, the setting that the other half of the rounds chose, so that the
	// choice does not bias its figures there.
	choice  []int
	halves  [2]int   // settings that the odd and the even rounds chose
	budget  float64  // logarithm of the budget's ratio of times
	statics []series // all static settings, the highest frequency first
}

// newOptimum searches the statics, of which the first is the highest frequency; budget is a
// slowdown, +Inf for none.
func newOptimum(statics []series, budget float64) optimum {
	o := optimum{statics: statics, budget: math.Log1p(budget)}
	n := len(statics[0].time)
	var odd, even []int
	for r := range n {
		if r%2 == 0 {
			odd = append(odd, r)
		} else {
			even = append(even, r)
		}
	}
	o.best = o.choose(sequence(n))
	o.possible = o.confidenceSet()
	if n < 2 {
		o.choice, o.halves = []int{o.best}, [2]int{o.best, o.best}
		return o
	}
	o.halves = [2]int{o.choose(odd), o.choose(even)}
	for r := range n {
		// An odd round, whose index is even, takes the choice of the even rounds.
		o.choice = append(o.choice, o.halves[1-r%2])
	}
	return o
}

// choose returns the setting with the least mean energy among those whose mean time is within the
// budget. The highest frequency always is. Of two alike it returns the higher one.
func (o *optimum) choose(rounds []int) int {
	best, least := 0, meanOf(o.statics[0].energy, rounds)
	for i := 1; i < len(o.statics); i++ {
		if meanOf(o.statics[i].time, rounds) > o.budget {
			continue
		}
		if e := meanOf(o.statics[i].energy, rounds); e < least {
			best, least = i, e
		}
	}
	return best
}

func meanOf(v []float64, rounds []int) float64 {
	sum := 0.0
	for _, r := range rounds {
		sum += v[r]
	}
	return sum / float64(len(rounds))
}

// confidenceSet returns settings that hold the true optimum with a chance of at least 1 - omission.
//
// The true optimum t is left out when its time seems surely over the budget, with chance at most
// omission/2; or when some other j seems surely within the budget and surely cheaper. If j truly is
// within the budget, it is not cheaper than t, and the second is wrong; if not, the first is. So
// each of the k-1 others contributes at most its share.
func (o *optimum) confidenceSet() []int {
	k := len(o.statics)
	n := len(o.statics[0].time)
	if n < 2 {
		return sequence(k)
	}
	each := tolerance.Student(omission/float64(max(k-1, 1)), float64(n-1))
	one := tolerance.Student(omission, float64(n-1))
	within := make([]bool, k)
	var possible []int
	for j := range o.statics {
		within[j] = j == 0 || surelyBelow(o.statics[j].time, o.budget, each)
	}
	for i := range o.statics {
		over := i > 0 && surelyBelow(negated(o.statics[i].time), -o.budget, one)
		beaten := false
		for j := range o.statics {
			if i != j && within[j] && surelyBelow(differences(o.statics[j].energy,
				o.statics[i].energy), 0, each) {
				beaten = true
				break
			}
		}
		if i == o.best || !over && !beaten {
			possible = append(possible, i)
		}
	}
	return slices.Clip(possible)
}

func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = -v[i]
	}
	return out
}

// sequence returns 0 to n-1.
func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
