package tolerance

import (
	"math"
	"testing"
)

// TestStudentTable compares with the values of published tables.
func TestStudentTable(t *testing.T) {
	for _, tc := range []struct{ p, df, want float64 }{
		{0.025, 1, 12.7062}, {0.025, 2, 4.30265}, {0.025, 4, 2.77645}, {0.025, 9, 2.26216},
		{0.025, 30, 2.04227},
		{0.05, 4, 2.13185}, {0.005, 4, 4.60409}, {0.001, 4, 7.17318}, {0.0005, 9, 4.78091},
		{0.025, 1e6, 1.95997}, {0.025, 1e300, 1.95996},
	} {
		if got := Student(2*tc.p, tc.df); math.Abs(got-tc.want) > 1e-4*tc.want {
			t.Errorf("t exceeded with %v at %v degrees: %v, want %v", tc.p, tc.df, got, tc.want)
		}
	}
}

// TestStudentIntegral compares with the density, added up by Simpson's rule.
func TestStudentIntegral(t *testing.T) {
	for _, df := range []float64{1, 2, 3, 4, 7, 19, 120} {
		a, _ := math.Lgamma((df + 1) / 2)
		b, _ := math.Lgamma(df / 2)
		density := func(x float64) float64 {
			return math.Exp(a-b-(df+1)/2*math.Log1p(x*x/df)) / math.Sqrt(df*math.Pi)
		}
		for _, x := range []float64{0, 0.1, 0.7, 1, 2.2, 3.9, 8} {
			const steps = 4000
			h := x / steps
			sum := density(0) + density(x)
			for i := 1; i < steps; i++ {
				sum += density(float64(i)*h) * float64(2+2*(i%2))
			}
			want := 0.5 + sum*h/3
			if got := studentCDF(x, df); math.Abs(got-want) > 1e-9 {
				t.Errorf("below %v at %v degrees: %v, want %v", x, df, got, want)
			}
			if up, down := studentCDF(x, df), studentCDF(-x, df); math.Abs(up+down-1) > 1e-12 {
				t.Errorf("%v and %v at %v degrees do not add up to 1", up, down, df)
			}
		}
	}
}

func TestStudentIsTheInverse(t *testing.T) {
	for _, df := range []float64{1, 2, 4, 9, 99} {
		for _, p := range []float64{0.4, 0.1, 0.025, 1e-3, 1e-6} {
			x := Student(2*p, df)
			if back := 1 - studentCDF(x, df); math.Abs(back-p) > 1e-6*p+1e-14 {
				t.Errorf("%v degrees, %v: beyond %v lies %v", df, p, x, back)
			}
		}
	}
}
