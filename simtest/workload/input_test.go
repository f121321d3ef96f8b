package workload

import (
	"math"
	"testing"
)

func TestInputIsFixed(t *testing.T) {
	if a, b := input("x").Uint64(), input("x").Uint64(); a != b {
		t.Errorf("one input, two values: %d and %d", a, b)
	}
	if a, b := input("x").Uint64(), input("y").Uint64(); a == b {
		t.Errorf("two inputs are the same: %d", a)
	}
}

func TestVaryHasMeanOne(t *testing.T) {
	r := input("vary")
	for _, sd := range []float64{0, 0.1, 0.8} {
		var sum float64
		const n = 200_000
		for range n {
			x := vary(r, sd)
			if x <= 0 {
				t.Fatalf("vary(%v) = %v", sd, x)
			}
			sum += x
		}
		if mean := sum / n; math.Abs(mean-1) > 0.01 {
			t.Errorf("vary(%v) has mean %.4f", sd, mean)
		}
	}
}

func TestDrift(t *testing.T) {
	const n, length = 20_000, 50.0
	v := drift(input("drift"), n, length)
	var sum, squares, near, far float64
	for i, x := range v {
		sum, squares = sum+x, squares+x*x
		if i >= length {
			near += x * v[i-1]
			far += x * v[i-length]
		}
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 1e-9 || math.Abs(variance-1) > 1e-9 {
		t.Errorf("mean %v, variance %v; want 0 and 1", mean, variance)
	}
	if got, want := near/n, math.Exp(-1/length); math.Abs(got-want) > 0.03 {
		t.Errorf("neighbours correlate by %.3f; want %.3f", got, want)
	}
	if got, want := far/n, math.Exp(-1); math.Abs(got-want) > 0.12 {
		t.Errorf("values %v apart correlate by %.3f; want %.3f", length, got, want)
	}
}
