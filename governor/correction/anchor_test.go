package correction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/internal/tolerance"
)

// biasedProgram makes stretches of a program whose use of memory wanders, at frequencies that a
// governor would choose: low ones where memory is used much. The part of its time that scales
// wanders too. Times are right but for two biases and noise.
func biasedProgram(rng *rand.Rand, scaling, fixed, noise float64, n int) []Stretch {
	x := math.Log(0.01)
	var out []Stretch
	for i := range n {
		x += 0.1*rng.NormFloat64() - 0.1*(x-math.Log(0.01))
		threads := 3 + rng.Float64()
		d := 0.2 + 0.3*(x-math.Log(0.01)) + 0.05*rng.NormFloat64()
		if i%20 == 0 {
			d = 0 // a probe
		}
		c := d * (0.3 + 0.6*rng.Float64())
		t := 0.6*x + 0.3*math.Log(threads) + scaling*c + fixed*(d-c) + noise*rng.NormFloat64()
		out = append(out, Stretch{Time: math.Exp(t), Distance: d, Change: c, Intensity: math.Exp(x),
			Threads: threads})
	}
	return out
}

// TestAnchorFindsBothBiases: both biases are found to within the deviations they state, whatever
// the program does, and are distinguished from each other and from the effect of the program's use
// of memory on its times.
func TestAnchorFindsBothBiases(t *testing.T) {
	deviations := tolerance.Deviations(0.003) // three
	for _, bias := range [][2]float64{{-0.06, -0.06}, {-0.08, 0}, {0, -0.08}, {-0.02, 0.02}, {0, 0},
		{0.04, 0}} {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, 5))
			var a anchor
			ps := biasedProgram(rng, bias[0], bias[1], 0.005, 400)
			for i := 1; i < len(ps); i++ {
				a.Observe(&ps[i-1], &ps[i], nil)
			}
			for k, change := range []float64{1, 0} { // all of it changes, or nothing
				got, deviation := a.bias(1, change)
				if math.Abs(got-bias[k]) > deviations*deviation+0.003 || deviation > 0.02 {
					t.Errorf("seed %d: bias %d %.4f +- %.4f, want %.4f", seed, k, got, deviation,
						bias[k])
				}
			}
			want := 0.2*bias[0] + 0.1*bias[1]
			got, deviation := a.bias(0.3, 0.2)
			if math.Abs(got-want) > deviations*deviation+0.001 || deviation > 0.005 {
				t.Errorf("seed %d: over a part of the way %.4f +- %.4f, want %.4f", seed, got,
					deviation, want)
			}
		}
	}
}

// TestAnchorKnowsNothing: without stretches at different frequencies, or with nothing but noise,
// the bias stays at its prior.
func TestAnchorKnowsNothing(t *testing.T) {
	var a anchor
	if l, d := a.bias(1, 1); l != meanScaling || d != priorScaling {
		t.Errorf("bias %v +- %v of nothing", l, d)
	}
	complete := anchor{Complete: true}
	if l, d := complete.bias(0.3, 0.3); l != 0 || d != 0.3*priorComplete {
		t.Errorf("bias %v +- %v of nothing where predictions are complete", l, d)
	}
	rng := rand.New(rand.NewPCG(1, 6))
	ps := biasedProgram(rng, 0.5, 0.5, 0.05, 300)
	for i := range ps {
		ps[i].Distance, ps[i].Change = 0.2, 0.1
	}
	for i := 1; i < len(ps); i++ {
		a.Observe(&ps[i-1], &ps[i], nil)
	}
	if l, d := a.bias(1, 1); math.Abs(l-meanScaling) > 1e-9 || d < priorScaling {
		t.Errorf("bias %v +- %v of one frequency", l, d)
	}
	for _, bad := range []Stretch{{}, {Time: math.NaN(), Intensity: 1, Threads: 1},
		{Time: 1, Intensity: math.Inf(1), Threads: 1}, {Time: 1, Intensity: 1},
		{Time: 1, Intensity: 1, Threads: 1, Change: math.NaN()}} {
		ok := Stretch{Time: 1, Intensity: 1, Threads: 1}
		if a.Observe(&ok, &bad, nil) || a.Observe(&bad, &ok, nil) {
			t.Errorf("%+v was learned from", bad)
		}
	}
	far := [2]Stretch{{Time: 1, Intensity: 1, Threads: 1}, {Time: 1, Intensity: 2, Threads: 1}}
	if a.Observe(&far[0], &far[1], nil) {
		t.Error("stretches that differ by a factor of two were taken for neighbours")
	}
}

// TestAnchorOutliers: one pair of twenty that is another program altogether does not decide.
func TestAnchorOutliers(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var a anchor
		ps := biasedProgram(rng, -0.05, -0.05, 0.004, 400)
		for i := range ps {
			if rng.IntN(20) == 0 {
				ps[i].Time *= math.Exp(rng.NormFloat64() / 2)
			}
		}
		for i := 1; i < len(ps); i++ {
			a.Observe(&ps[i-1], &ps[i], nil)
		}
		if got, deviation := a.bias(1, 0.5); math.Abs(got+0.05) > 0.05 {
			t.Errorf("seed %d: bias %.4f +- %.4f, want -0.05", seed, got, deviation)
		}
	}
}

func TestNear(t *testing.T) {
	a := signatureOf(0.01, 3)
	for _, tc := range []struct {
		b    Signature
		want bool
	}{{a, true}, {signatureOf(0.015, 4), true}, {signatureOf(0.05, 3), false},
		{signatureOf(0, 3), false}} {
		if a.near(tc.b) != tc.want || tc.b.near(a) != tc.want {
			t.Errorf("%v near %v: want %v", tc.b, a, tc.want)
		}
	}
}
