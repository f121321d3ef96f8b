package tolerance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDeviations: the quantiles are those of every table of the normal distribution.
func TestDeviations(t *testing.T) {
	for p, want := range map[float64]float64{0.05: 1.959964, 0.01: 2.575829, 0.0027: 2.999977,
		1e-6: 4.891638} {
		if got := Deviations(p); math.Abs(got-want) > 1e-5 {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

// TestCount: ranges of small numbers of draws, reckoned by hand, and of many, which are the normal
// distribution's.
func TestCount(t *testing.T) {
	for _, tc := range []struct {
		n           int
		share, p    float64
		least, most int
	}{
		{1, 0.5, 0.1, 0, 1},
		{10, 0.5, 0.0019, 0, 10}, // no hit has 1/1024 = 0.00098
		{10, 0.5, 0.002, 1, 9},
		{10, 0.5, 0.0214, 1, 9}, // at most one hit has 11/1024 = 0.0107
		{10, 0.5, 0.0216, 2, 8},
		{10, 0.1, 0.2, 0, 2}, // three hits and more have 0.0702
		{7, 0, 0.5, 0, 0},
		{7, 1, 0.5, 7, 7},
		{1_000_000, 0.5, 1e-6, 497_554, 502_446},
	} {
		least, most := Count(tc.n, tc.share, tc.p)
		if least != tc.least || most != tc.most {
			t.Errorf("%d draws with %v, %v: %d to %d, want %d to %d", tc.n, tc.share, tc.p, least,
				most, tc.least, tc.most)
		}
	}
}

// TestCountHolds: draws leave the range as often as stated, or less, and not much less.
func TestCountHolds(t *testing.T) {
	const trials, n, share, p = 20_000, 200, 0.3, 0.05
	r := rand.New(rand.NewPCG(17, 0))
	least, most := Count(n, share, p)
	out := 0
	for range trials {
		hits := 0
		for range n {
			if r.Float64() < share {
				hits++
			}
		}
		if hits < least || hits > most {
			out++
		}
	}
	if got := float64(out) / trials; got > p || got < p/2 {
		t.Errorf("%.2f %% of the counts are out of %d to %d", 100*got, least, most)
	}
}

func TestShare(t *testing.T) {
	if got := Share(10, 0.5, 0.0216); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("off by at most %v, want 0.3", got)
	}
	normal := 4.8916 * math.Sqrt(0.24/1e5)
	if got := Share(1e5, 0.6, 1e-6); math.Abs(got/normal-1) > 0.01 {
		t.Errorf("off by at most %v, of a normal distribution %v", got, normal)
	}
}
