package energy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

func TestDivide(t *testing.T) {
	for _, tt := range []struct {
		amount  units.Energy
		weights []float64
		want    []units.Energy
	}{
		{10, []float64{1, 1}, []units.Energy{5, 5}},
		{10, []float64{1, 1, 1}, []units.Energy{4, 3, 3}},
		{10, []float64{6, 3, 1}, []units.Energy{6, 3, 1}},
		{1, []float64{1, 2}, []units.Energy{0, 1}},
		{7, []float64{0, 5, -3}, []units.Energy{0, 7, 0}},
		{0, []float64{1}, []units.Energy{0}},
	} {
		got, ok := Divide(tt.amount, tt.weights, nil)
		if !ok || !slices.Equal(got, tt.want) {
			t.Errorf("%d by %v: %v, want %v", tt.amount, tt.weights, got, tt.want)
		}
	}
	for _, weights := range [][]float64{nil, {0, 0}, {-1}, {math.Inf(1), 1}, {math.NaN()}} {
		if got, ok := Divide(10, weights, nil); ok {
			t.Errorf("by %v: %v", weights, got)
		}
	}
}

// TestDivideWhole: the parts add up to the amount, none is below zero or further from its share
// than the rounding.
func TestDivideWhole(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		weights := make([]float64, 1+r.IntN(20))
		total := 0.0
		for i := range weights {
			weights[i] = math.Exp(20 * (r.Float64() - 0.5))
			if r.IntN(5) == 0 {
				weights[i] = 0
			}
			total += weights[i]
		}
		amount := units.Energy(r.Int64N(1 << (1 + r.IntN(62))))
		parts, ok := Divide(amount, weights, nil)
		if !ok {
			if total > 0 {
				t.Fatalf("seed %d: %d by %v was not divided", seed, amount, weights)
			}
			continue
		}
		sum := units.Energy(0)
		for i, p := range parts {
			sum += p
			exact := float64(amount) * weights[i] / total
			if slack := 1 + 1e-14*float64(amount)*float64(len(parts)); p < 0 ||
				math.Abs(float64(p)-exact) > slack {
				t.Fatalf("seed %d: %d by %v: part %d is %d, its share %f", seed, amount, weights, i,
					p, exact)
			}
		}
		if sum != amount {
			t.Fatalf("seed %d: %d by %v adds up to %d", seed, amount, weights, sum)
		}
	}
}
