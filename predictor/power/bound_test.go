package power

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestNoPartBelow: processors whose parts are anything from a twentieth to two thirds of the
// model's. Whatever was learned, each part is at minSize at least, not only the one bounded last.
func TestNoPartBelow(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := NewFit(Table2())
		var truth [partCount]float64
		for i := range partFlat {
			truth[i] = 0.05 + rng.Float64()*0.6
		}
		for window := range 60 {
			clock := units.Frequency(1e9 + rng.Float64()*3e9)
			busy := rng.Float64() * 4 * 5e7
			x := f.Features(Activity{F: clock, Dur: 50 * time.Millisecond,
				CoreBusy:     time.Duration(busy),
				Instructions: busy * float64(clock) / 1e9 * rng.Float64() * 2,
				Requests:     rng.Float64() * 5e5})
			e := 0.0
			for i := range x {
				e += truth[i] * x[i]
			}
			f.Learn(&x, units.Energy(e), 0)
			for i := range partFlat {
				if f.size[i] < minSize {
					t.Fatalf("seed %d, window %d: part %d has size %v", seed, window, i, f.size[i])
				}
			}
		}
	}
}

// TestBoundIsNearest: of all sizes within the bounds, bound finds the nearest by the covariance.
// The plain reference pushes one part after the other until nothing moves (Hildreth's method for
// quadratic programs).
func TestBoundIsNearest(t *testing.T) {
	bounded := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := NewFit(Table2())
		random := [partCount][partCount]float64{}
		for i := range random {
			for j := range random {
				random[i][j] = rng.NormFloat64()
			}
		}
		for i := range f.cov { // positive definite: a square, and something on the diagonal
			f.size[i] = rng.Float64()*2 - 0.5
			for j := range f.cov {
				f.cov[i][j] = 0
				for k := range random {
					f.cov[i][j] += random[i][k] * random[j][k]
				}
			}
			f.cov[i][i]++
		}
		want := plainBound(&f)
		f.bound()
		for i := range want {
			if math.Abs(f.size[i]-want[i]) > 1e-5 {
				t.Fatalf("seed %d: %v, not %v", seed, f.size, want)
			}
		}
		if f.size[0] == minSize {
			bounded++
		}
	}
	if bounded < 30 {
		t.Errorf("part 0 was at its bound in %d cases", bounded)
	}
}

// plainBound finds the sizes within the bounds that are nearest to those learned.
func plainBound(f *Fit) [partCount]float64 {
	z, pushed := f.size, [partFlat]float64{}
	for range 20_000 {
		for i := range pushed {
			by := max((minSize-z[i])/f.cov[i][i], -pushed[i])
			pushed[i] += by
			for j := range z {
				z[j] += f.cov[i][j] * by
			}
		}
	}
	return z
}
