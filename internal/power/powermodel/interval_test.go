package powermodel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn returns the misses of a program with a bias of its own, and rows that scatter around it.
func drawn(r *rand.Rand, bias, within float64) (m miss) {
	for range 40 {
		m = append(m, bias+within*r.NormFloat64())
	}
	return m
}

// TestIntervalsHold checks that intervals from nine programs hold what they are to hold of another
// one, whatever form the programs' biases have: normal, or mostly small and now and then large.
// With 3,000 draws chance moves a share by less than 0.03.
func TestIntervalsHold(t *testing.T) {
	for name, bias := range map[string]func(*rand.Rand) float64{
		"normal": (*rand.Rand).NormFloat64,
		"long tails": func(r *rand.Rand) float64 {
			return r.NormFloat64() / math.Sqrt((math.Pow(r.NormFloat64(), 2)+
				math.Pow(r.NormFloat64(), 2)+math.Pow(r.NormFloat64(), 2))/3)
		},
	} {
		for _, within := range []float64{0.1, 1, 3} {
			r := rand.New(rand.NewPCG(13, 0))
			held := make([]float64, len(nominal))
			const draws = 3000
			for range draws {
				programs := make([]miss, 9)
				for i := range programs {
					programs[i] = drawn(r, bias(r), within)
				}
				s, next := spreadOf(programs), math.Abs(bias(r)+within*r.NormFloat64())
				for i, share := range nominal {
					if next <= s.interval(share).halfWidth(1, 0) {
						held[i] += 1.0 / draws
					}
				}
			}
			for i, share := range nominal {
				if math.Abs(held[i]-share) > 0.06 {
					t.Errorf("%s, scatter %v: %.3f held of %v", name, within, held[i], share)
				}
			}
		}
	}
}

// TestSpread compares the chance of a larger error with a plain count.
func TestSpread(t *testing.T) {
	programs := []miss{{1, -1, 3, 4}, {0, 0}, {-2}, {2, 5}, {6}}
	s := spreadOf(programs)
	for half, want := range map[float64]float64{
		0: 0.8, 0.5: 0.8, 1: 0.7, 2: 0.4, 3: 0.35, 5.5: 0.2, 6: 0, 100: 0,
	} {
		unlike := 1.0
		if half > 0 {
			unlike = beyondStudent(half/s.deviation, s.freedom)
		}
		if got := s.outside(half); math.Abs(got-(5*want+unlike)/6) > 1e-5 {
			t.Errorf("more than %v: %.6f, want %.6f", half, got, (5*want+unlike)/6)
		}
	}
	for _, c := range []float64{0.5, 0.9, 0.99} {
		i := s.interval(c)
		if out := s.outside(i.Scale); out > 1-c || s.outside(i.Scale*(1-1e-9)) < 1-c-0.2 {
			t.Errorf("%v: scale %v leaves out %v", c, i.Scale, out)
		}
	}
	exact := spreadOf([]miss{{0}, {0}, {0}, {0}, {0}})
	if i := exact.interval(0.9); i.Scale != 0 || i.Freedom != 5 {
		t.Errorf("without errors: %+v", i)
	}
}

// beyondStudent adds up the density of Student's t beyond t.
func beyondStudent(t, df float64) float64 {
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	sum, height := 0.0, math.Exp(a-b)/math.Sqrt(df*math.Pi)
	const step = 1e-4
	for x := step / 2; x < t; x += step {
		sum += step * height * math.Pow(1+x*x/df, -(df+1)/2)
	}
	return 1 - 2*sum
}
